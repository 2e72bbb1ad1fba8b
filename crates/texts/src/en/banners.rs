//! The banners above the panes, and the screen after a crash of the page.

/// Texts of the banners and of the crash screen.
pub struct Banners {
    pub list: &'static str,
    pub dismiss: &'static str,
    /// The question before the page starts over.
    pub start_over: &'static str,
    pub start_over_about: &'static str,
    pub cancel: &'static str,
    /// The engine has stopped: before and after the reason.
    pub engine_stopped: &'static str,
    pub workspace_is_safe: &'static str,
    pub restart_engine: &'static str,
    /// Another tab has saved a workspace in place of the one of this tab: the banner, its two buttons, and what follows from
    /// each.
    pub changed_in_other_tab: &'static str,
    pub which_version: &'static str,
    pub take_over: &'static str,
    pub keep_own: &'static str,
    pub save_as: &'static str,
    pub taken_over: &'static str,
    pub kept_own: &'static str,
    /// What another tab has deleted, or saved in a way that this page cannot read.
    pub lost: &'static str,
    pub lost_what_now: &'static str,
    /// A workspace that came with a link, or is an example.
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
    start_over_about: "Designs, query and settings go back to the first view. Undo restores them.",
    cancel: "Cancel",
    engine_stopped: "The engine has stopped.",
    workspace_is_safe: "Your workspace is safe in this page.",
    restart_engine: "Restart the engine",
    changed_in_other_tab: "This workspace was changed in another tab.",
    which_version: "Until you choose a version, changes made here are saved for this tab only.",
    take_over: "Take the other version",
    keep_own: "Keep this version",
    save_as: "Save as a workspace",
    taken_over: "The other tab's version is shown; Undo brings back this tab's",
    kept_own: "This tab's version is saved",
    lost: "The saved copy of this workspace is gone.",
    lost_what_now: "Another tab has deleted it, or saved it in a way that this page cannot read. Changes made here are for this tab only.",
    came_with_link: "This workspace came with a link.",
    is_example: "This is an example.",
    yours_is_saved: "Your own is saved as you left it. Until you choose, changes made here are for this tab only.",
    back_to_yours: "Back to my workspace",
    back_from_link: "Your workspace is shown; Redo brings back the other one",
    link_opened: "The workspace of the link is shown",
    crashed: "Tabletop has stopped",
    crashed_what_now: "An error in the page ended it. Your workspace (the source of the events, the designs and the query) is saved. \
                       Reload to continue with it, or save it to a file first.",
    reload: "Reload the page",
    report: "For a bug report:",
};
