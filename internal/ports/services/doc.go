// Package services is the config center read from a YAML file: the credentials that an
// operator gives to tools, for each tenant and optionally for each user.
//
// # The file
//
//   - service: weatherapi
//     data: {api_key: "…"}
//   - tenant: acme        # default, if omitted
//     user: ann           # everyone of the tenant, if omitted
//     service: smtp
//     label: work         # default, if it is not there
//     default: true       # at most one for a tenant, user and service
//     active: true        # false turns the entry off and keeps it
//     data: {host: smtp.example.com, port: 587, password: "…"}
//
// Data are text as it is written, numbers too. The file is an ordinary file of one YAML
// list, at most 1 MiB, that only its owner may read.
//
// # What it promises
//
// A user sees the entries of that user first, then those of the tenant, and never those
// of another. A changed file takes effect within two seconds of use; an invalid one is
// reported, and the previous version remains in use. No value of an entry appears in an
// error or in the output of fmt.
//
// # What it does not promise
//
// Nothing is encrypted, in the file or in memory. A removed entry stays with calls that
// have read it.
package services
