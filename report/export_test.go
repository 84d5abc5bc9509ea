package report

// Columns is columns, for tests.
var Columns = columns
