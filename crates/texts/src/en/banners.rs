//! The banners above the panes, and the screen after a crash of the page.

texts!(Banners {
    list: "Notes",
    dismiss: "Dismiss",
    /// The question before the workspace is reset.
    start_over: "Start over?",
    start_over_about: "Resets designs, query and settings. Undo restores them.",
    cancel: "Cancel",
    /// The engine has stopped: before and after the reason.
    engine_stopped: "The engine has stopped.",
    workspace_is_safe: "Your workspace is safe in this page.",
    restart_engine: "Restart the engine",
    /// Another tab has saved a workspace in place of the one of this tab: the banner, its two
    /// buttons, and what follows from each.
    changed_in_other_tab: "This workspace was changed in another tab.",
    which_version: "Until you choose a version, changes made here stay in this tab.",
    take_over: "Use the other version",
    keep_own: "Keep this version",
    save_as: "Save as a workspace",
    taken_over: "Showing the other tab's version; Undo restores this tab's",
    kept_own: "This tab's version is saved",
    /// What another tab has deleted, or saved in a form that this page cannot read.
    lost: "The saved copy of this workspace is gone.",
    lost_what_now: "Another tab deleted it, or saved it in a form that this page cannot read. Changes made \
                    here stay in this tab.",
    /// A workspace from a link, or an example.
    came_with_link: "This workspace came from a link.",
    is_example: "This is an example.",
    yours_is_saved: "Your own workspace is saved as you left it. Until you choose, changes made here stay \
                     in this tab.",
    back_to_yours: "Back to my workspace",
    back_from_link: "Showing your workspace; Redo returns to the other one",
    link_opened: "Showing the workspace from the link",
    /// The page itself has stopped.
    crashed: "Tabletop has stopped",
    crashed_what_now: "The page hit an error. Your workspace (event source, designs and query) is saved. \
                       Reload to continue, or save it to a file first.",
    reload: "Reload the page",
    report: "For a bug report:",
});
