// Package stack runs deploy/compose as docs/deploy.md describes it, with the images of `make
// images`, and compares what Prometheus collects with the dashboards of deploy/grafana and
// the alerts of deploy/prometheus. It has tests only.
//
// The images of NATS, PostgreSQL and Prometheus are stand-ins under the names of the
// Compose file: the NATS server is built from its module, the others are Debian's packages.
// Grafana does not run: neither Debian nor a Go module has it. What it reads is what the
// test reads: the queries of its dashboards are sent to Prometheus as Grafana sends them.
//
// .ci/run stack prepares a directory for it and starts it in network, mount and process
// namespaces of its own, so that the engine changes nothing on the machine and every process
// of it ends with the test.
package stack
