//! A Bigtable: Google Cloud, an emulator, or `tabletop serve`. Only this module and its submodules
//! use protobuf, along with `push/table.rs`.

mod place;
mod requests;

use std::sync::Arc;
use std::time::Duration;

use bigtable_rs::bigtable::{self, BigTable, BigTableConnection};
use gcp_auth::TokenProvider;
use googleapis_tonic_google_bigtable_admin_v2::google::bigtable::admin::v2 as admin;
use googleapis_tonic_google_bigtable_v2::google::bigtable::v2 as data;
use tabletop_model::{Code, ColumnFamily, Error, Result, RowKey};
use tabletop_server::client::family_message;
use tonic::metadata::MetadataValue;
use tonic::transport::{Channel, ClientTlsConfig, Uri};
use tonic::{Request, Status};

use admin::bigtable_table_admin_client::BigtableTableAdminClient;
pub(crate) use place::{Missing, PlaceOptions};
pub(crate) use requests::{DataClient, Encoded, Seen, refused};

const ADMIN: &str = "https://bigtableadmin.googleapis.com";
const ADMIN_SCOPES: [&str; 1] = ["https://www.googleapis.com/auth/bigtable.admin.table"];
/// The time limit of admin calls: a table is created in every cluster before the answer is sent.
const ADMIN_TIMEOUT: Duration = Duration::from_secs(300);
const DATA_TIMEOUT: Duration = Duration::from_secs(60);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(20);
/// The maximum number of keys of one read, and of their bytes: Bigtable rejects read requests of
/// more than 512 KiB.
const KEYS_MAX: usize = 1_000;
const KEYS_BYTES_MAX: usize = 384 << 10;

/// The location of the table.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    pub project: String,
    pub instance: String,
    pub table: String,
    /// Host and port of an emulator; `None` is Google Cloud.
    pub emulator: Option<String>,
}

/// A family of an existing table.
#[derive(Debug)]
pub(crate) struct Family {
    pub name: String,
    /// How the family aggregates; `None` for plain cells.
    aggregator: Option<admin::r#type::aggregate::Aggregator>,
    /// Whether it has a GC rule.
    pub collects: bool,
}

/// A connection to the target.
pub(crate) struct Remote {
    pub(crate) target: Target,
    pub(crate) admin: BigtableTableAdminClient<Channel>,
    pub(crate) data: BigTable,
    tokens: Option<Arc<dyn TokenProvider>>,
}

impl Target {
    /// Returns the instance's full name.
    pub(crate) fn parent(&self) -> String {
        format!("projects/{}/instances/{}", self.project, self.instance)
    }

    /// Returns the table's full name.
    pub(crate) fn table_name(&self) -> String {
        format!("{}/tables/{}", self.parent(), self.table)
    }
}

impl std::fmt::Display for Target {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.emulator {
            Some(host) => write!(f, "{} at {host}", self.table_name()),
            None => f.write_str(&self.table_name()),
        }
    }
}

impl Remote {
    /// Connects to the target. For Google Cloud, uses its default credentials.
    pub(crate) async fn connect(target: &Target, parallel: usize) -> Result<Remote> {
        // Each channel has a limit of concurrent calls, so there may be several.
        let channels = parallel.div_ceil(16);
        let (endpoint, connection, tokens) = match &target.emulator {
            Some(host) => {
                // The client panics if it cannot parse the address.
                let uri = uri(host)?;
                let connection = BigTableConnection::new_with_emulator(
                    host,
                    &target.project,
                    &target.instance,
                    false,
                    channels,
                    Some(DATA_TIMEOUT),
                );
                (Channel::builder(uri), connection.map_err(not_connected)?, None)
            }
            None => {
                let tokens = gcp_auth::provider().await.map_err(no_credentials)?;
                tokens.token(&ADMIN_SCOPES).await.map_err(no_credentials)?;
                let connection = BigTableConnection::new_with_token_provider(
                    &target.project,
                    &target.instance,
                    false,
                    channels,
                    Some(DATA_TIMEOUT),
                    tokens.clone(),
                );
                let endpoint = Channel::from_static(ADMIN)
                    .tls_config(ClientTlsConfig::new().with_native_roots())
                    .map_err(|error| not_connected(error.into()))?;
                (endpoint, connection.map_err(not_connected)?, Some(tokens))
            }
        };
        let endpoint = endpoint.connect_timeout(CONNECT_TIMEOUT).timeout(ADMIN_TIMEOUT);
        let admin =
            BigtableTableAdminClient::new(endpoint.connect_lazy()).max_decoding_message_size(64 << 20);
        Ok(Remote { target: target.clone(), admin, data: connection.client(), tokens })
    }

    /// Returns the families of the table, or `None` if the table does not exist.
    pub(crate) async fn families(&self) -> Result<Option<Vec<Family>>> {
        let name = self.target.table_name();
        let request =
            admin::GetTableRequest { name: name.clone(), view: admin::table::View::SchemaView.into() };
        match self.admin.clone().get_table(self.signed(request, "name", &name).await?).await {
            Ok(answer) => {
                let families = answer.into_inner().column_families.into_iter().map(|(name, family)| Family {
                    name,
                    aggregator: aggregator(family.value_type),
                    collects: family.gc_rule.is_some_and(|rule| rule.rule.is_some()),
                });
                let mut families: Vec<Family> = families.collect();
                families.sort_by(|a, b| a.name.cmp(&b.name));
                Ok(Some(families))
            }
            Err(status)
                if status.code() == tonic::Code::NotFound
                    && !status.message().contains("nstance not found") =>
            {
                Ok(None)
            }
            Err(status) => Err(self.refused("looking for the table", &status)),
        }
    }

    /// Checks that the table exists, with these families of a design. Returns its families.
    ///
    /// # Errors
    /// What is missing and how to create it, or the error of a server that cannot be reached.
    pub(crate) async fn check_table(
        target: &Target,
        design: &str,
        families: &[ColumnFamily],
    ) -> Result<Vec<Family>> {
        let failed = |why: String| Err(Error::new(Code::FailedPrecondition, why));
        let Some(found) = Remote::connect(target, 1).await?.families().await? else {
            return failed(format!("{target} does not exist: {}", push_first(design)));
        };
        match misfit(families, &found) {
            Some(why) => failed(format!("{target} is not the table of design \"{design}\": {why}")),
            None => Ok(found),
        }
    }

    /// Returns whether the table has rows with all of these keys.
    pub(crate) async fn has_rows(&self, keys: &[RowKey]) -> Result<bool> {
        use data::row_filter::{Chain, Filter};
        let filter = |filter| data::RowFilter { filter: Some(filter) };
        let short =
            vec![filter(Filter::CellsPerRowLimitFilter(1)), filter(Filter::StripValueTransformer(true))];
        for keys in portions(keys) {
            let request = data::ReadRowsRequest {
                table_name: self.target.table_name(),
                rows: Some(data::RowSet {
                    row_keys: keys.iter().map(|key| key.to_vec()).collect(),
                    row_ranges: Vec::new(),
                }),
                filter: Some(filter(Filter::Chain(Chain { filters: short.clone() }))),
                ..data::ReadRowsRequest::default()
            };
            let rows = self.data.clone().read_rows(request).await;
            let mut distinct = keys.to_vec();
            distinct.sort();
            distinct.dedup();
            match rows {
                Ok(rows) if rows.len() < distinct.len() => return Ok(false),
                Ok(_) => {}
                Err(bigtable::Error::RpcError(status)) => {
                    return Err(self.refused("looking for rows that are written", &status));
                }
                Err(error) => return Err(not_connected(error)),
            }
        }
        Ok(true)
    }

    /// Makes an error that names the operation.
    pub(crate) fn refused(&self, doing: &str, status: &Status) -> Error {
        let place = match &self.target.emulator {
            Some(host) => format!("The emulator at {host}"),
            None => "Google Cloud".into(),
        };
        let hint = match status.code() {
            tonic::Code::Unauthenticated => " Log in with \"gcloud auth application-default login\".",
            tonic::Code::PermissionDenied => {
                " The account needs the role bigtable.admin, or bigtable.user for an existing table."
            }
            tonic::Code::NotFound => " Check the name of the instance: it must exist.",
            tonic::Code::Unavailable if self.target.emulator.is_some() => " Is it running?",
            _ => "",
        };
        let message = format!(
            "{place} refused {doing} {}: {} ({:?}).{hint}",
            self.target.table_name(),
            status.message(),
            status.code()
        );
        Error::new(code(status.code()), message)
    }

    /// Adds the headers that Google Cloud needs: the routing and the access token.
    pub(crate) async fn signed<M>(&self, message: M, name: &str, value: &str) -> Result<Request<M>> {
        let mut request = Request::new(message);
        let bad = |_| {
            Error::invalid(format!(
                "The name {value:?} cannot be sent: it has characters that no name can have."
            ))
        };
        let parameters = format!("{name}={}", value.replace('/', "%2F"));
        request
            .metadata_mut()
            .insert("x-goog-request-params", MetadataValue::try_from(parameters).map_err(bad)?);
        if let Some(tokens) = &self.tokens {
            let token = tokens.token(&ADMIN_SCOPES).await.map_err(no_credentials)?;
            let bearer = MetadataValue::try_from(format!("Bearer {}", token.as_str())).map_err(bad)?;
            request.metadata_mut().insert("authorization", bearer);
        }
        Ok(request)
    }
}

impl Family {
    /// Returns whether both families aggregate in the same way, or neither does.
    pub(crate) fn is_like(&self, other: &ColumnFamily) -> bool {
        let kind = |aggregator: &Option<_>| aggregator.as_ref().map(std::mem::discriminant);
        kind(&self.aggregator) == kind(&aggregator(family_message(other).value_type))
    }
}

/// Says how to create the table of a design.
pub(crate) fn push_first(design: &str) -> String {
    format!("push design \"{design}\" first with the same options: tabletop push")
}

/// Returns why a table with the families `found` is not the table of a design with these families,
/// or `None` if it may be.
pub(crate) fn misfit(families: &[ColumnFamily], found: &[Family]) -> Option<String> {
    let is_missing = |family: &&ColumnFamily| !found.iter().any(|other| other.name == family.name);
    let is_other = |family: &&ColumnFamily| {
        found.iter().any(|other| other.name == family.name && !other.is_like(family))
    };
    let names = |of: &dyn Fn(&&ColumnFamily) -> bool| -> Vec<&str> {
        families.iter().filter(|family| of(family)).map(|family| &*family.name).collect()
    };
    match (&names(&is_missing)[..], &names(&is_other)[..]) {
        ([], []) => None,
        ([], typed) => Some(format!("its families {} aggregate in another way", typed.join(", "))),
        (missing, _) => Some(format!("it lacks the families {}", missing.join(", "))),
    }
}

fn aggregator(value_type: Option<admin::Type>) -> Option<admin::r#type::aggregate::Aggregator> {
    match value_type?.kind? {
        admin::r#type::Kind::AggregateType(aggregate) => aggregate.aggregator,
        _ => None,
    }
}

/// Cuts keys into portions for one read each.
fn portions(mut keys: &[RowKey]) -> impl Iterator<Item = &[RowKey]> {
    std::iter::from_fn(move || {
        let mut bytes = 0;
        let fits = |key: &&RowKey| {
            // Includes the head of its field.
            bytes += key.len() + 4;
            bytes <= KEYS_BYTES_MAX
        };
        let count = keys.iter().take(KEYS_MAX).take_while(fits).count();
        let (portion, rest) = keys.split_at(count);
        keys = rest;
        (count > 0).then_some(portion)
    })
}

fn code(code: tonic::Code) -> Code {
    match code {
        tonic::Code::InvalidArgument | tonic::Code::OutOfRange => Code::InvalidArgument,
        tonic::Code::NotFound => Code::NotFound,
        tonic::Code::AlreadyExists => Code::AlreadyExists,
        tonic::Code::ResourceExhausted => Code::ResourceExhausted,
        tonic::Code::Cancelled => Code::Cancelled,
        tonic::Code::DataLoss => Code::DataLoss,
        tonic::Code::Internal => Code::Internal,
        tonic::Code::Unavailable
        | tonic::Code::DeadlineExceeded
        | tonic::Code::Aborted
        | tonic::Code::Unknown => Code::Unavailable,
        _ => Code::FailedPrecondition,
    }
}

/// Parses the address of an emulator or a server.
fn uri(host: &str) -> Result<Uri> {
    let uri: Option<Uri> = format!("http://{host}").parse().ok();
    uri.filter(|uri| uri.port().is_some() && uri.path() == "/").ok_or_else(|| {
        Error::invalid(format!(
            "{host:?} is not the address of a server: write HOST:PORT, for example localhost:8086."
        ))
    })
}

fn no_credentials(error: gcp_auth::Error) -> Error {
    Error::new(
        Code::FailedPrecondition,
        format!(
            "There are no credentials for Google Cloud ({error}). Log in with \"gcloud auth application-default login\", or let \
             GOOGLE_APPLICATION_CREDENTIALS name a service account's file; use --address HOST:PORT for a running server or an emulator."
        ),
    )
}

fn not_connected(error: bigtable::Error) -> Error {
    Error::new(Code::Unavailable, format!("No connection: {error}."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_of_many_keys_stay_within_the_limit() {
        let keys = |bytes: usize, count: usize| vec![RowKey::from(vec![7; bytes]); count];
        let sizes = |keys: &[RowKey]| portions(keys).map(<[_]>::len).collect::<Vec<_>>();
        assert_eq!(sizes(&[]), [0; 0]);
        assert_eq!(sizes(&keys(10, 2_500)), [1_000, 1_000, 500]);
        assert_eq!(sizes(&keys(4_096, 200)), [95, 95, 10]);
    }
}
