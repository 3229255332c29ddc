package services

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/helve-dev/helve/tool"
)

// A caller who may change an entry must not be able to read its secrets, or have them sent
// to a server of their own. So a stored secret is kept only while everything is as it was
// when the secret was given: the type of the entry, the fields that are secret or say where
// secrets go, the request of the test, and the addresses. The comparison uses the stored
// entry, because after a change the new schema no longer shows what the old one protected.

// addressed matches the names of fields that say where the secrets of an entry go.
var addressed = regexp.MustCompile(`(?i)(^|[_-])ur[il]|ur[il]$|host|port|server|addr|endpoint|domain|gateway|proxy|registry|issuer|^(base|tls|ca|program|args|api_key_env|account)$`)

// locates reports whether a field decides where the secrets of an entry are sent. The fields
// of a custom service have no types, so any value that is an address counts there.
func locates(s tool.Service, f tool.ServiceField, values ...string) bool {
	switch {
	case f.Type == tool.FieldURL:
		return true
	case f.Type == tool.FieldBoolean, f.Secret && len(s.Fields) > 0:
		return false
	case s.Test != nil && strings.Contains(s.Test.URL, "{"+f.Name+"}"):
		return true
	}
	return addressed.MatchString(f.Name) || slices.ContainsFunc(values, func(v string) bool { return strings.Contains(v, "://") })
}

// boundTo returns a hash of what a schema says about the secrets of an entry: which fields
// are secret, and where the secrets go. Texts for people are not part of it.
func boundTo(kind string, s tool.Service) (string, error) {
	fields := []tool.ServiceField{}
	for _, f := range s.Fields {
		if f.Secret || locates(s, f, f.Default) {
			fields = append(fields, tool.ServiceField{Name: f.Name, Type: f.Type, Secret: f.Secret, Default: f.Default})
		}
	}
	slices.SortFunc(fields, func(a, b tool.ServiceField) int { return cmp.Compare(a.Name, b.Name) })
	text, err := json.Marshal([]any{"helve secrets of", kind, fields, s.Test})
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:16]), nil
}

// version is an entry before or after a change, with all values.
type version struct {
	public
	values map[string]string
}

// moved refuses to keep secrets, named in kept, that were given for something else than what
// the entry becomes.
func (r *Registry) moved(schema tool.Service, old, next version, kept []string) error {
	if len(kept) == 0 {
		return nil
	}
	again := func(why string) error { return bad(kept[0], "must be given again, because "+why) }
	if old.Type != next.Type {
		return again("the type of the entry changes")
	}
	if old.Bound != next.Bound {
		return again("the fields or addresses of the service have changed since it was given; to remove fields that it no longer has, " +
			"replace the whole entry")
	}
	names := maps.Clone(old.values)
	maps.Copy(names, next.values)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		f, _ := fieldOf(schema, name) // a field that is gone has a name and values at most
		was, is := cmp.Or(old.values[name], f.Default), cmp.Or(next.values[name], f.Default)
		if f.Name = name; was != is && locates(schema, f, was, is) {
			return again(name + ", the address that it is sent to, changes")
		}
	}
	return nil
}
