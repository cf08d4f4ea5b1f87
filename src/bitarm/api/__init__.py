"""What a program calls: `identify`, and problem files. Re-exported lazily by `bitarm`."""
