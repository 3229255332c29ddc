// Package alerttest proves that each alert of deploy/prometheus fires when its fault occurs
// and clears when the fault is mended, and that the dashboards of deploy/grafana query only
// metrics and labels that exist. It has tests only.
//
// Real parts run in the test: a NATS server, dispatchers and workers. Prometheus' own rule
// engine evaluates the rules over scrapes of them, with a clock that the test moves.
package alerttest
