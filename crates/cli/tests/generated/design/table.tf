# The tables orders, orders-by-kind, written by Tabletop.

resource "google_bigtable_table" "table_orders" {
  project       = "clients"
  instance_name = "tests"
  name          = "orders"

  column_family {
    family = "sale"
  }

  column_family {
    family = "refund"
  }

  # Changing the splits would replace the table.
  lifecycle {
    prevent_destroy = true
  }
}

resource "google_bigtable_table" "table_orders_by_kind" {
  project       = "clients"
  instance_name = "tests"
  name          = "orders-by-kind"

  column_family {
    family = "d"
  }

  # Changing the splits would replace the table.
  lifecycle {
    prevent_destroy = true
  }
}
