//! Measured round trips between regions of Google Cloud.
//!
//! Source: <https://github.com/skyplane-project/skyplane>, commit 945dca27, `profiles/latency.csv`
//! (8,010 measurements of the premium tier, April 2022), licensed under the Apache License 2.0, whose
//! text is in `LICENSE-APACHE`.
//!
//! Changes: for each pair, the larger of the two directions' smallest round trips, rounded to
//! milliseconds. Samples below the speed of light in fibre are left out. Five values that a detour
//! over one region would beat by far were replaced by the median of the other European regions:
//! asia-east1/europe-west6, asia-southeast1/europe-west3, asia-northeast3/europe-west6,
//! australia-southeast1/europe-west6, australia-southeast2/europe-west3.

/// The number of regions with measurements: the first ones of [`super::region::REGIONS`].
pub(super) const MEASURED: usize = 27;

/// Round trips in milliseconds. The row of each region, in the order of
/// [`super::region::REGIONS`], has its round trips to the regions before it; the first region has an
/// empty row.
#[rustfmt::skip]
pub(super) const ROUND_TRIP_MILLIS: [u16; MEASURED * (MEASURED - 1) / 2] = [
    13, // asia-east2
    35, 46, // asia-northeast1
    41, 53, 10, // asia-northeast2
    48, 48, 34, 33, // asia-northeast3
    102, 100, 131, 138, 133, // asia-south1
    107, 107, 137, 142, 149, 23, // asia-south2
    45, 41, 71, 81, 84, 62, 69, // asia-southeast1
    55, 52, 83, 94, 97, 74, 82, 15, // asia-southeast2
    137, 133, 121, 128, 148, 153, 158, 94, 108, // australia-southeast1
    131, 120, 135, 141, 160, 145, 156, 85, 102, 14, // australia-southeast2
    270, 243, 245, 250, 269, 155, 170, 208, 228, 288, 300, // europe-central2
    277, 254, 227, 257, 276, 167, 189, 233, 239, 299, 306, 19, // europe-north1
    250, 220, 222, 230, 250, 141, 157, 200, 213, 268, 279, 23, 34, // europe-west1
    245, 230, 218, 225, 244, 144, 167, 204, 217, 264, 275, 28, 41, 9, // europe-west2
    256, 216, 226, 236, 252, 136, 156, 205, 207, 274, 286, 16, 33, 9, 14, // europe-west3
    253, 229, 216, 232, 253, 139, 163, 206, 217, 270, 282, 22, 31, 8, 11, 8, // europe-west4
    254, 213, 235, 242, 252, 136, 163, 196, 207, 272, 291, 21, 36, 14, 19, 9, 13, // europe-west6
    179, 191, 152, 159, 178, 219, 236, 212, 225, 198, 209, 103, 115, 83, 78, 89, 86, 96, // northamerica-northeast1
    173, 185, 146, 153, 173, 225, 250, 208, 221, 191, 203, 111, 123, 90, 86, 95, 93, 101, 9, // northamerica-northeast2
    287, 302, 262, 270, 288, 320, 345, 321, 341, 293, 312, 214, 218, 195, 191, 200, 198, 204, 129, 135, // southamerica-east1
    233, 246, 206, 213, 232, 330, 336, 269, 283, 243, 255, 226, 228, 205, 201, 212, 209, 216, 139, 145, 54, // southamerica-west1
    154, 166, 124, 134, 153, 245, 259, 190, 206, 172, 184, 121, 127, 100, 96, 109, 103, 111, 30, 24, 138, 150, // us-central1
    182, 194, 155, 163, 197, 217, 241, 218, 231, 200, 247, 111, 114, 92, 88, 96, 95, 101, 26, 32, 126, 101, 33, // us-east1
    175, 187, 148, 154, 176, 207, 232, 212, 225, 197, 204, 101, 104, 81, 77, 86, 85, 90, 15, 22, 115, 126, 25, 13, // us-east4
    119, 132, 111, 115, 126, 218, 221, 162, 174, 189, 149, 152, 159, 132, 128, 141, 135, 143, 62, 55, 169, 130, 36, 64, 57, // us-west1
    135, 147, 108, 114, 134, 230, 234, 171, 184, 143, 157, 159, 163, 140, 134, 144, 141, 149, 69, 62, 165, 112, 42, 57, 60, 32, // us-west4
];
