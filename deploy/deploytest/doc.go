// Package deploytest validates the files of deploy: the manifests of Kubernetes against the
// types and schemas of their kinds, the settings with the programs' own parsers, and what
// refers to what.
//
// It does not prove that a cluster runs them; deploy/apiserver applies them to a real API
// server.
package deploytest
