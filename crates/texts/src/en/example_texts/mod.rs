//! What each example shows.

mod designs;
mod example_text;
mod profiles;
#[cfg(test)]
mod tests;
mod under_load;

use tabletop_workspace::Example;

pub use example_text::ExampleText;

/// Returns the text of an example in English.
#[inline(never)]
pub(super) fn english(example: Example) -> &'static ExampleText {
    let (designs, profiles, loads) = (&designs::ENGLISH, &profiles::ENGLISH, &under_load::ENGLISH);
    match example {
        Example::AlgoliaNarrow => &designs.algolia_narrow,
        Example::AlgoliaWide => &designs.algolia_wide,
        Example::Twitter => &designs.twitter,
        Example::ZOrder => &designs.zorder,
        Example::SaltWholeKey => &designs.salt_whole_key,
        Example::SaltPart => &designs.salt_part,
        Example::SaltForward => &designs.salt_forward,
        Example::JavaSalt => &designs.java_salt,
        Example::TimeBuckets => &designs.time_buckets,
        Example::RowPerUser => &designs.row_per_user,
        Example::NewestFirst => &designs.newest_first,
        Example::Iot => &designs.iot,
        Example::IndexTables => &designs.index_tables,
        Example::AdProfile => &designs.ad_profile,
        Example::WhyWide => &profiles.why_wide,
        Example::ChangeStrategy => &profiles.change_strategy,
        Example::Migrate => &profiles.migrate,
        Example::QueryTime => &profiles.query_time,
        Example::TalkTwoNodes => &loads.talk_two_nodes,
        Example::TalkHotKey => &loads.talk_hot_key,
        Example::TalkFourNodes => &loads.talk_four_nodes,
        Example::TwitterTime => &loads.twitter_time,
        Example::TwitterAdvertiser => &loads.twitter_advertiser,
        Example::TwitterReversed => &loads.twitter_reversed,
        Example::Celebrity => &loads.celebrity,
        Example::CelebritySalted => &loads.celebrity_salted,
        Example::FlashSale => &loads.flash_sale,
        Example::FlashSaleLoadTest => &loads.flash_sale_load_test,
        Example::ResizeBefore => &loads.resize_before,
        Example::ResizeDuring => &loads.resize_during,
        Example::FailingNode => &loads.failing_node,
    }
}
