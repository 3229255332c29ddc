// Package otlptest tests the traces of package telemetry against the OTLP receiver of
// the OpenTelemetry Collector.
//
// It contains only tests, and is a module of its own because of the receiver's
// dependencies: run `go test ./...` in this directory.
package otlptest
