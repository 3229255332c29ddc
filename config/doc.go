// Package config holds an operator's settings: one typed [Config], its defaults, and
// the loading from several sources.
//
// [Load] starts from [Default] and applies three layers, each stronger than the one
// before: a YAML file, HELVE_* environment variables, flags. A layer replaces single
// keys; a list replaces the whole list. default.yaml in this directory shows every key
// with its default and its meaning.
//
// # Environment
//
// A key's variable is HELVE_ and the path in upper case with levels separated by an
// underscore: nats.url is HELVE_NATS_URL. If a name contains an underscore, two may
// separate the levels for clarity: nats.monitor_url is HELVE_NATS__MONITOR_URL, or
// HELVE_NATS_MONITOR_URL, which means the same because no two keys share a variable.
// Lists are separated by commas. An empty variable counts as not set. HELVE_CONFIG
// names the file if no flag does, HELVE_SERVER belongs to the command line client, and
// the variables that Kubernetes sets for a service called helve-something are ignored.
//
// # Promises
//
// Load reports all problems together, each with its key, its value, the allowed values
// and its source. An unknown key is a problem, never ignored. Passwords in URLs appear
// neither in [Config.YAML] nor in a problem.
//
// The package checks values only: the user of a value finds out whether a file exists,
// a host answers or a port is free.
package config
