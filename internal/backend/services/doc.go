// Package services is the config center read from a YAML file: the credentials
// that an operator gives to tools, for each tenant and, where that is wanted, for
// each user.
//
// # The file
//
//   - service: weatherapi
//     data: {api_key: "…"}
//   - tenant: acme        # default, if it is not there
//     user: ann           # everybody of the tenant, if it is not there
//     service: smtp
//     label: work         # default, if it is not there
//     default: true       # at most one for a tenant, user and service
//     active: true        # false turns the entry off and keeps it
//     data: {host: smtp.example.com, port: 587, password: "…"}
//
// Data are text as it is written, numbers too. The file is an ordinary file of
// one YAML list, at most 1 MiB, that only its owner may read.
//
// # What it promises
//
// A user sees the entries of that user first, then those of the tenant, and never
// those of another. A changed file counts within two seconds of use; one that is
// broken is reported, and what held before goes on to hold. No value of an entry
// stands in an error or in what fmt prints.
//
// # What it does not promise
//
// Nothing is encrypted, in the file or in memory. An entry that was removed
// stays with a call that has read it.
package services
