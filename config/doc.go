// Package config is what an operator may set: one typed [Config], its defaults,
// and how it is put together.
//
// [Load] starts from [Default] and lays three layers over it, each stronger
// than the one before: a YAML file, HELVE_* environment variables, flags. A
// layer replaces single keys; a list replaces the whole list. default.yaml in
// this directory shows every key with its default and what it does.
//
// # Environment
//
// A key's variable is HELVE_ and the path in upper case with levels parted by
// an underscore: nats.url is HELVE_NATS_URL. Where a name itself holds an
// underscore, two may part the levels for clarity: nats.monitor_url is
// HELVE_NATS__MONITOR_URL, or HELVE_NATS_MONITOR_URL, which means the same
// because no two keys share a variable. Lists are parted by commas. An empty
// variable counts as not set. HELVE_CONFIG names the file when no flag does,
// HELVE_SERVER belongs to the command line client, and the variables that
// Kubernetes makes for a service called helve-something are passed over.
//
// # Promises
//
// Load reports every problem at once, each with its key, its value, what is
// allowed and where it was set. A key that does not exist is a problem, never
// ignored. Passwords in URLs are shown neither by [Config.YAML] nor in a
// problem.
//
// The package looks at values only: whether a file exists, a host answers or a
// port is free is for whoever uses the value to find out.
package config
