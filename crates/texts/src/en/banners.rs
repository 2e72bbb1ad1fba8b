//! The banners above the panes, and the screen after a crash of the page.

/// Texts of the banners and of the crash screen.
pub struct Banners {
    pub list: &'static str,
    pub dismiss: &'static str,
    /// The question before the workspace is reset.
    pub start_over: &'static str,
    pub start_over_about: &'static str,
    pub cancel: &'static str,
    /// The engine has stopped: before and after the reason.
    pub engine_stopped: &'static str,
    pub workspace_is_safe: &'static str,
    pub restart_engine: &'static str,
    /// Another tab has saved a workspace in place of the one of this tab: the banner, its two
    /// buttons, and what follows from each.
    pub changed_in_other_tab: &'static str,
    pub which_version: &'static str,
    pub take_over: &'static str,
    pub keep_own: &'static str,
    pub save_as: &'static str,
    pub taken_over: &'static str,
    pub kept_own: &'static str,
    /// What another tab has deleted, or saved in a form that this page cannot read.
    pub lost: &'static str,
    pub lost_what_now: &'static str,
    /// A workspace from a link, or an example.
    pub came_with_link: &'static str,
    pub is_example: &'static str,
    pub yours_is_saved: &'static str,
    pub back_to_yours: &'static str,
    pub back_from_link: &'static str,
    pub link_opened: &'static str,
    /// The page itself has stopped.
    pub crashed: &'static str,
    pub crashed_what_now: &'static str,
    pub reload: &'static str,
    pub report: &'static str,
}

pub const ENGLISH: Banners = Banners {
    list: "Notes",
    dismiss: "Dismiss",
    start_over: "Start over?",
    start_over_about: "Resets designs, query and settings. Undo restores them.",
    cancel: "Cancel",
    engine_stopped: "The engine has stopped.",
    workspace_is_safe: "Your workspace is safe in this page.",
    restart_engine: "Restart the engine",
    changed_in_other_tab: "This workspace was changed in another tab.",
    which_version: "Until you choose a version, changes made here stay in this tab.",
    take_over: "Use the other version",
    keep_own: "Keep this version",
    save_as: "Save as a workspace",
    taken_over: "Showing the other tab's version; Undo restores this tab's",
    kept_own: "This tab's version is saved",
    lost: "The saved copy of this workspace is gone.",
    lost_what_now: "Another tab deleted it, or saved it in a form that this page cannot read. Changes made \
                    here stay in this tab.",
    came_with_link: "This workspace came from a link.",
    is_example: "This is an example.",
    yours_is_saved: "Your own workspace is saved as you left it. Until you choose, changes made here stay \
                     in this tab.",
    back_to_yours: "Back to my workspace",
    back_from_link: "Showing your workspace; Redo returns to the other one",
    link_opened: "Showing the workspace from the link",
    crashed: "Tabletop has stopped",
    crashed_what_now: "The page hit an error. Your workspace (event source, designs and query) is saved. \
                       Reload to continue, or save it to a file first.",
    reload: "Reload the page",
    report: "For a bug report:",
};
