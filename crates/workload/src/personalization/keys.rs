//! Row keys that begin with an app and a user, so that the events of a user, and all events of an
//! app, are one range of logical keys.

use tabletop_keys::{Field, Layout, Part, Record, Template};
use tabletop_model::{Code, Error, Result, RowKey};

/// The names of fields with users, the most usual first.
const USER_NAMES: [&str; 5] = ["usertoken", "userid", "user", "customerid", "customer"];
/// The names of fields with apps: the customers of a service that many of them share.
const APP_NAMES: [&str; 5] = ["appid", "app", "applicationid", "tenantid", "tenant"];

/// The fields that identify whose events they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UserRoles {
    /// The field with the app. Without one, all users belong to one app, whose name is empty.
    pub app: Option<usize>,
    /// The field with the user.
    pub user: usize,
}

impl UserRoles {
    /// Finds the roles by names, ignoring case and characters other than letters and digits.
    ///
    /// # Errors
    /// `FailedPrecondition` when there is no field for the user.
    pub fn of(fields: &[Field]) -> Result<UserRoles> {
        let plain = |name: &str| {
            name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect::<String>()
        };
        let named = |names: &[&str]| {
            names.iter().find_map(|name| fields.iter().position(|field| plain(&field.name) == **name))
        };
        let Some(user) = named(&USER_NAMES) else {
            return Err(Error::new(
                Code::FailedPrecondition,
                "Profiles need events with a field for the user: rename it to user_token or user_id.",
            ));
        };
        Ok(UserRoles { app: named(&APP_NAMES).filter(|app| *app != user), user })
    }

    /// Returns the app and the user of an event.
    ///
    /// # Errors
    /// `InvalidArgument` for an event that lacks one of them.
    pub fn of_event<'r>(&self, record: &Record<'r>) -> Result<(&'r str, &'r str)> {
        let value = |at: usize| {
            let text = record.value(at).filter(|text| !text.is_empty());
            text.ok_or_else(|| {
                Error::invalid(format!("The event has no value for {}: give it one.", record.fields[at].name))
            })
        };
        Ok((self.app.map_or(Ok(""), value)?, value(self.user)?))
    }
}

/// The beginning of the logical keys of a template: app, separator, user, separator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserKeys {
    /// The separator between the app and the user; `None` for keys without an app.
    after_app: Option<String>,
    /// The separator after the user; empty if the user is the end of the key.
    after_user: String,
}

impl UserKeys {
    /// Finds the app and the user in the keys of `template` in a table of `layout`.
    ///
    /// # Errors
    /// `FailedPrecondition` when the keys do not begin with them, so that a user's events are not
    /// in one range.
    pub fn of(template: &Template, layout: &Layout, roles: UserRoles) -> Result<UserKeys> {
        let fields = template.fields();
        let stored = template.stored(layout);
        let mut parts = stored.parts().to_vec();
        if matches!(parts.first(), Some(Part::Salt { .. })) {
            parts.remove(0);
            // The character after the salt belongs to the salt.
            if let Some(Part::Literal(text)) = parts.first_mut() {
                text.remove(0);
                if text.is_empty() {
                    parts.remove(0);
                }
            }
        }
        let is = |part: Option<&Part>, field: usize| matches!(part, Some(Part::Field { name, transforms }) if transforms.is_empty() && *name == fields[field].name);
        let literal = |part: Option<&Part>| match part {
            Some(Part::Literal(text)) => Some(text.clone()),
            _ => None,
        };
        let user_at = if roles.app.is_some() { 2 } else { 0 };
        let after_app = roles.app.map(|app| literal(parts.get(1)).filter(|_| is(parts.first(), app)));
        let after_user = match parts.get(user_at + 1) {
            None => Some(String::new()),
            part => literal(part),
        };
        match (after_app, after_user) {
            (Some(None), _) | (_, None) => {}
            (after_app, Some(after_user)) if is(parts.get(user_at), roles.user) => {
                return Ok(UserKeys { after_app: after_app.flatten(), after_user });
            }
            _ => {}
        }
        let user = &fields[roles.user].name;
        let wanted =
            roles.app.map_or(format!("{{{user}}},"), |app| format!("{{{}}},{{{user}}},", fields[app].name));
        Err(Error::new(
            Code::FailedPrecondition,
            format!(
                "The row key {} does not begin with the user as a separate part. Profiles need each user's events in one key range: \
                 start the key with {wanted} (a salt may come first).",
                template.text()
            ),
        ))
    }

    /// Checks that the keys of this app and user cannot be the keys of another.
    ///
    /// # Errors
    /// `InvalidArgument` for an app or a user that contains the separator following it.
    pub fn check(&self, app: &str, user: &str) -> Result<()> {
        let check = |text: &str, after: &str, what: &str| {
            let ends_early = !after.is_empty() && format!("{text}{after}").find(after) != Some(text.len());
            if ends_early {
                return Err(Error::invalid(format!(
                    "The {what} \"{text}\" contains \"{after}\", which separates it from what follows in the row key, so its rows could be \
                     those of another {what}: put another separator into the template."
                )));
            }
            Ok(())
        };
        if let Some(after_app) = &self.after_app {
            check(app, after_app, "app")?;
        }
        check(user, &self.after_user, "user")
    }

    /// Returns the beginning of the logical keys of an app; empty, for all keys, if keys have no
    /// app.
    pub fn app_prefix(&self, app: &str) -> RowKey {
        self.after_app
            .as_ref()
            .map_or_else(RowKey::default, |after| RowKey::from(format!("{app}{after}").into_bytes()))
    }

    /// Returns the beginning of the logical keys of a user. If keys end with the user, it is the
    /// whole key, and keys of longer names begin with it, too.
    pub fn user_prefix(&self, app: &str, user: &str) -> RowKey {
        let app = self.after_app.as_ref().map_or_else(String::new, |after| format!("{app}{after}"));
        RowKey::from(format!("{app}{user}{}", self.after_user).into_bytes())
    }

    /// Returns whether keys end with the user, so that all events of a user are one row.
    pub fn is_one_row(&self) -> bool {
        self.after_user.is_empty()
    }

    /// Returns the first logical key after those of a user.
    pub fn after_user(&self, app: &str, user: &str) -> RowKey {
        let prefix = self.user_prefix(app, user);
        if self.is_one_row() {
            return RowKey::from([prefix.as_slice(), &[0]].concat());
        }
        // The separator is ASCII or text, which never ends with 0xff.
        tabletop_model::RowRange::prefix(prefix).ends().1.unwrap_or_default()
    }

    /// Returns the app and the user of a logical key, or `None` for a key that does not have this
    /// form.
    pub fn split<'k>(&self, logical: &'k [u8]) -> Option<(&'k str, &'k str)> {
        let text = match core::str::from_utf8(logical) {
            Ok(text) => text,
            // The user may be followed by any bytes.
            Err(error) => core::str::from_utf8(&logical[..error.valid_up_to()]).ok()?,
        };
        let (app, rest) = match &self.after_app {
            Some(after) => text.split_once(&**after)?,
            None => ("", text),
        };
        let user = if self.after_user.is_empty() { rest } else { rest.split_once(&*self.after_user)?.0 };
        Some((app, user))
    }
}
