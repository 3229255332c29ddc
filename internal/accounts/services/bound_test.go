package services

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// declaredCRM returns a service as an operator's file describes it.
func declaredCRM(change func(*tool.Service)) tool.Service {
	s := tool.Service{Name: "mine", Title: "CRM", Fields: []tool.ServiceField{
		{Name: "base_url", Type: tool.FieldURL, Default: "https://crm.example"}, {Name: "account", Type: tool.FieldText},
		{Name: "token", Type: tool.FieldText, Secret: true}, {Name: "pin", Type: tool.FieldText, Secret: true},
	}, Test: &tool.ServiceTest{URL: "{base_url}/{account}/ping", Bearer: "token"}}
	if change != nil {
		change(&s)
	}
	return s
}

// TestSecretsStay: a stored secret is neither shown nor sent elsewhere by a change of the type,
// the address or the schema of its entry, also by an admin.
func TestSecretsStay(t *testing.T) {
	t.Parallel()
	const canary, owner = "canary-kept", "ann"
	w := newWorld(t)
	custom := protocol.ServiceSet{
		Type: typeCustom, Fields: fields("token", `"`+canary+`"`, "base_url", `"https://mine.example"`, "where", `"https://a.example"`),
	}
	http := protocol.ServiceSet{Type: typeHTTP, Fields: fields("api_key", `"`+canary+`"`, "base_url", `"https://mine.example"`)}
	known := protocol.ServiceSet{Fields: fields("token", `"`+canary+`"`, "account", `"ours"`, "pin", `"1"`)}
	merged := func(kind string, pairs ...string) protocol.ServiceSet {
		return protocol.ServiceSet{Type: kind, Merge: true, Fields: fields(pairs...)}
	}
	kept := func(kind string, pairs ...string) protocol.ServiceSet {
		return protocol.ServiceSet{Type: kind, Fields: fields(pairs...)}
	}
	crm := []tool.Service{declaredCRM(nil)}
	changed := func(change func(*tool.Service)) []tool.Service { return []tool.Service{declaredCRM(change)} }
	for name, tt := range map[string]struct {
		was    []tool.Service // declared when the entry is stored
		stored protocol.ServiceSet
		is     []tool.Service // declared when it is changed
		set    protocol.ServiceSet
		ok     bool
	}{
		"custom to http, merged":              {stored: custom, set: merged(typeHTTP, "base_url", `"https://thief.example"`)},
		"custom to http, address given again": {stored: custom, set: merged(typeHTTP, "base_url", `"https://mine.example"`)},
		"custom to http, key kept":            {stored: http, set: kept(typeCustom, "api_key", `{"set":true}`)},
		"secret shown as a plain field": {
			stored: protocol.ServiceSet{Type: typeCustom, Fields: fields("user", `"`+canary+`"`)},
			set:    kept(typeHTTP, "base_url", `"https://mine.example"`, "user", `{"set":true}`),
		},
		"to a registration": {
			stored: protocol.ServiceSet{Type: typeCustom, Fields: fields("scopes", `"`+canary+`"`)},
			set:    merged(typeOAuth2, "client_id", `"c"`, "issuer", `"https://thief.example"`),
		},
		"custom, address moves":         {stored: custom, set: merged(typeCustom, "base_url", `"https://thief.example"`)},
		"custom, another address moves": {stored: custom, set: merged("", "where", `"https://thief.example"`)},
		"custom, a new address":         {stored: custom, set: merged("", "smtp_host", `"thief.example"`)},
		"custom, the address goes":      {stored: custom, set: merged("", "base_url", "null")},
		"http, address moves":           {stored: http, set: merged("", "base_url", `"https://thief.example"`)},
		"declared since":                {stored: custom, is: crm, set: merged("", "account", `"ours"`)},
		"no longer declared":            {was: crm, stored: known, set: merged(typeCustom, "note", `"x"`)},
		"no longer declared, now http":  {was: crm, stored: known, set: merged(typeHTTP, "base_url", `"https://thief.example"`)},
		"no longer secret": {
			was: crm, stored: known, is: changed(func(s *tool.Service) { s.Fields[2].Secret = false }), set: merged("", "account", `"ours"`),
		},
		"a field that is gone": {
			was: crm, stored: known, is: changed(func(s *tool.Service) { s.Fields = s.Fields[:3] }), set: merged("", "account", `"ours"`),
		},
		"another default address": {
			was: crm, stored: known, is: changed(func(s *tool.Service) { s.Fields[0].Default = "https://thief.example" }),
			set: merged("", "account", `"ours"`),
		},
		"another test": {
			was: crm, stored: known, is: changed(func(s *tool.Service) { s.Test.URL = "https://thief.example/" }), set: merged("", "pin", `"2"`),
		},
		"a part of the address": {was: crm, stored: known, is: crm, set: merged("", "account", `"../thief"`)},
		"other texts for people": {
			was: crm, stored: known, is: changed(func(s *tool.Service) { s.Title, s.Fields[0].Description = "CRM 2", "Where." }),
			set: merged("", "pin", `"2"`), ok: true,
		},
		"a new plain field": {was: crm, stored: known, is: changed(func(s *tool.Service) {
			s.Fields = append(s.Fields, tool.ServiceField{Name: "model", Type: tool.FieldText})
		}), set: merged("", "model", `"m"`), ok: true},
		"custom, a plain change": {stored: custom, set: merged("", "note", `"x"`), ok: true},
		"custom to http, all given again": {
			stored: custom, set: kept(typeHTTP, "base_url", `"https://new.example"`, "api_key", `"`+canary+`"`), ok: true,
		},
		"address moves, the same key given": {
			stored: http, set: merged("", "base_url", `"https://new.example"`, "api_key", `"`+canary+`"`), ok: true,
		},
		"declared since, given again": {stored: custom, is: crm, set: kept("", "token", `"`+canary+`"`), ok: true},
	} {
		at := at("", "mine", "default")
		if tt.set.Type != typeOAuth2 {
			at.User = owner
		}
		store := func(declared []tool.Service) *Store {
			r, err := NewRegistry(nil, declared)
			if err != nil {
				t.Fatal(err)
			}
			return &Store{Bucket: w.bucket, Keys: w.Keys, Registry: r}
		}
		if _, err := w.Delete(t.Context(), at, func() error { return nil }); err != nil {
			t.Fatal(err)
		}
		if _, err := store(tt.was).Set(t.Context(), at, tt.stored, owner, granted); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		before, _ := w.bucket.Get(t.Context(), keyOf(at))
		entry, err := store(tt.is).Set(t.Context(), at, tt.set, "root", granted)
		after, _ := w.bucket.Get(t.Context(), keyOf(at))
		text, _ := json.Marshal(entry)
		if tt.ok != (err == nil) || err != nil && (!strings.Contains(err.Error(), "must be given again") || string(before) != string(after)) {
			t.Errorf("%s: Set = %s, %v, want stored: %v", name, text, err, tt.ok)
		}
		if strings.Contains(string(text)+string(after), canary) || err != nil && strings.Contains(err.Error(), canary) {
			t.Errorf("%s: the secret is shown: %s, %s, %v", name, text, after, err)
		}
	}
}

// TestEntryWithoutABound: the secrets of an entry that does not say what they were given for must
// be given again.
func TestEntryWithoutABound(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	place := at("ann", "mine", "default")
	c := public{Type: typeCustom, Active: true, Secrets: []string{"api_key"}, Values: map[string]string{}}
	value, _, err := w.sealed(t.Context(), place, c, map[string]string{"api_key": "canary"})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.bucket.Create(t.Context(), keyOf(place), value); err != nil {
		t.Fatal(err)
	}
	set := protocol.ServiceSet{Type: typeCustom, Merge: true, Fields: fields("note", `"x"`)}
	if _, err := w.Set(t.Context(), place, set, "ann", granted); err == nil || !strings.Contains(err.Error(), "must be given again") {
		t.Errorf("Set = %v, want the secrets asked for again", err)
	}
}
