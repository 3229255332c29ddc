package services

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

func TestSet(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	var recorded []string
	entry, err := w.Set(ctx, at("", "model", "default"),
		protocol.ServiceSet{Fields: fields("api_key", `"canary-1"`, "tokens", "0587", "strict", "true")}, "root", func(names []string) error {
			recorded = names
			return nil
		})
	if err == nil {
		t.Fatalf("0587 is not JSON, and was stored: %v", entry)
	}
	entry, err = w.Set(ctx, at("", "model", "default"),
		protocol.ServiceSet{Fields: fields("api_key", `"canary-1"`, "tokens", "587", "strict", "true", "base_url", `"https://m.example"`)},
		"root", func(names []string) error {
			recorded = names
			return nil
		})
	text, _ := json.Marshal(entry.Fields)
	if want := `{"api_key":{"set":true},"base_url":"https://m.example","strict":true,"tokens":587}`; err != nil || string(text) != want ||
		!entry.Active || entry.By != "root" {
		t.Errorf("Set = %s, %v, want %s", text, err, want)
	}
	if got := strings.Join(recorded, " "); got != "api_key base_url strict tokens" {
		t.Errorf("recorded %s", got)
	}
	stored, _ := w.bucket.Get(ctx, "acme.tenant.model.default")
	if stored == nil || strings.Contains(string(stored), "canary-1") || !strings.Contains(string(stored), "https://m.example") {
		t.Errorf("stored %s", stored)
	}
	off := false
	for _, step := range []struct {
		name string
		set  protocol.ServiceSet
		want string
	}{
		{
			"merge", protocol.ServiceSet{Merge: true, Fields: fields("tokens", "1", "strict", "null")},
			`true {"api_key":{"set":true},"base_url":"https://m.example","tokens":1}`,
		},
		{
			"keep", protocol.ServiceSet{Fields: fields("api_key", `{"set":true}`, "base_url", `"https://m.example"`)},
			`true {"api_key":{"set":true},"base_url":"https://m.example"}`,
		},
		{"off", protocol.ServiceSet{Merge: true, Active: &off}, `false {"api_key":{"set":true},"base_url":"https://m.example"}`},
		{
			"stays off", protocol.ServiceSet{Merge: true, Fields: fields("tokens", "2")},
			`false {"api_key":{"set":true},"base_url":"https://m.example","tokens":2}`,
		},
		{"replace", protocol.ServiceSet{Fields: fields("api_key", `"canary-2"`)}, `true {"api_key":{"set":true}}`},
	} {
		entry, err := w.Set(ctx, at("", "model", "default"), step.set, "root", granted)
		text, _ := json.Marshal(entry.Fields)
		if got := fmt.Sprintf("%v %s", entry.Active, text); err != nil || got != step.want {
			t.Errorf("%s: Set = %s, %v, want %s", step.name, got, err, step.want)
		}
	}
	r, _ := w.reader(w.Keys, nil)
	if got := get(t, r, "acme", "", "model"); got != "default:canary-2;" {
		t.Errorf("Entries = %s", got)
	}
}

func TestSetRefuses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.set("", "model", "default", "canary-kept")
	const canary = "canary-bad"
	big := `"` + strings.Repeat("x", 1<<20) + `"`
	for name, tt := range map[string]struct {
		at   string // service/label/user
		kind string
		set  map[string]json.RawMessage
		want string
		of   tool.Kind
	}{
		"dots":            {"mo.del/default/", "", fields("api_key", `"`+canary+`"`), "service must match", tool.ValidationError},
		"wildcard":        {"model/*/", "", fields("api_key", `"`+canary+`"`), "label must match", tool.ValidationError},
		"all below":       {"model/>/", "", fields("api_key", `"`+canary+`"`), "label must match", tool.ValidationError},
		"parent":          {"model/..\\..\\x/", "", fields("api_key", `"`+canary+`"`), "label must match", tool.ValidationError},
		"unicode":         {"model/lä\u202ebel/", "", fields("api_key", `"`+canary+`"`), "label must match", tool.ValidationError},
		"a user's dots":   {"model/default/ann.bob", "", fields("api_key", `"`+canary+`"`), "user must match", tool.ValidationError},
		"unknown service": {"modell/default/", "", fields("api_key", `"`+canary+`"`), "did you mean model?", tool.NotFound},
		"unknown type": {
			"mine/default/", "soap", fields("api_key", `"`+canary+`"`), "type must be http, custom or oauth2", tool.ValidationError,
		},
		"known with type": {"model/default/", "custom", fields("api_key", `"`+canary+`"`), "takes no type", tool.ValidationError},
		"unknown field":   {"model/default/", "", fields("api_kye", `"`+canary+`"`), "did you mean api_key?", tool.ValidationError},
		"required":        {"model/new/", "", fields("tokens", "1"), `"api_key" is required`, tool.ValidationError},
		"options":         {"model/default/", "", fields("mode", `"`+canary+`"`), "must be one of fast, good", tool.ValidationError},
		"number":          {"model/default/", "", fields("tokens", `"`+canary+`"`), "must be a number", tool.ValidationError},
		"port": {
			"mail/default/", "", fields("host", `"h"`, "port", `"65536"`), "must be a port from 1 to 65535", tool.ValidationError,
		},
		"port as fraction": {"mail/default/", "", fields("host", `"h"`, "port", `"25.5"`), "must be a port", tool.ValidationError},
		"boolean":          {"model/default/", "", fields("strict", `"`+canary+`"`), "must be true or false", tool.ValidationError},
		"address":          {"model/default/", "", fields("base_url", `"file:///`+canary+`"`), "http or https address", tool.ValidationError},
		"user in address": {
			"model/default/", "", fields("base_url", `"https://u:`+canary+`@h"`), "without user and password", tool.ValidationError,
		},
		"control": {
			"model/default/", "", fields("api_key", `"`+canary+`\r\nX-Injected: 1"`), "control characters", tool.ValidationError,
		},
		"a megabyte":       {"model/default/", "", fields("api_key", big), "longer than", tool.ValidationError},
		"list":             {"model/default/", "", fields("api_key", `["`+canary+`"]`), "must be text", tool.ValidationError},
		"object":           {"model/default/", "", fields("api_key", `{"set":true,"x":"`+canary+`"}`), "must be text", tool.ValidationError},
		"keep nothing":     {"model/new/", "", fields("api_key", `{"set":true}`), "no stored value", tool.ValidationError},
		"shared of a user": {"danger/default/ann", "", fields("enabled", "true"), "only an admin", tool.PermissionDenied},
		"field of custom":  {"mine/default/", "custom", fields("a.b", `"`+canary+`"`), "must begin with a letter", tool.ValidationError},
		"http without url": {"mine/default/", "http", fields("api_key", `"`+canary+`"`), `"base_url" is required`, tool.ValidationError},
		"address moves": {
			"model/default/", "", fields("api_key", `{"set":true}`, "base_url", `"https://thief.example"`), "must be given again",
			tool.ValidationError,
		},
	} {
		p := strings.Split(tt.at, "/")
		_, err := w.Set(t.Context(), at(p[2], p[0], p[1]), protocol.ServiceSet{Type: tt.kind, Fields: tt.set}, "root", granted)
		var e *tool.Error
		if !errors.As(err, &e) || e.Kind != tt.of || !strings.Contains(e.Msg, tt.want) || strings.Contains(e.Error(), canary) ||
			len(e.Msg) > 600 {
			t.Errorf("%s: %v, want %s with %q", name, err, tt.of, tt.want)
		}
	}
	if list, err := w.List(t.Context(), "acme", Filter{All: true}); err != nil || len(list) != 1 {
		t.Errorf("List = %v, %v", list, err)
	}
}

// Concurrent changes of different fields are all kept.
func TestSetAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.set("", "mine", "default", "k")
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			_, err := w.Set(t.Context(), at("", "mine", "default"), protocol.ServiceSet{Merge: true, Fields: fields(fmt.Sprintf("f%d", i), `"v"`)},
				"root", granted)
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	list, err := w.List(t.Context(), "acme", Filter{All: true, Service: "mine"})
	if err != nil || len(list) != 1 || len(list[0].Fields) != 9 {
		t.Errorf("List = %v, %v", list, err)
	}
}

// TestRegistered: a registration at a provider that no preset names is a service of its
// tenant, for everybody there, and nothing else is.
func TestRegistered(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	w.set("", "plain", "default", "k")
	off := false
	for _, e := range []struct {
		service, label string
		active         *bool
	}{{"cloud", "default", nil}, {"github", "default", nil}, {"closed", "default", &off}} {
		set := protocol.ServiceSet{
			Type:   typeOAuth2,
			Active: e.active,
			Fields: fields("client_id", `"c"`, "client_secret", `"canary"`, "authorization_url", `"https://a.example/authorize"`, "token_url",
				`"https://a.example/token"`),
		}
		if _, err := w.Set(ctx, at("", e.service, e.label), set, "root", granted); err != nil {
			t.Fatalf("%s: %v", e.service, err)
		}
	}
	list, err := w.Registered(ctx, "acme")
	if err != nil || len(list) != 1 || list[0].Name != "cloud" || list[0].Type != typeOAuth2 || len(list[0].Fields) == 0 {
		t.Errorf("Registered = %+v, %v, want cloud", list, err)
	}
	if list, err := w.Registered(ctx, "other"); err != nil || len(list) != 0 {
		t.Errorf("Registered of another tenant = %+v, %v", list, err)
	}
}

func TestListAndDelete(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.set("", "model", "default", "k")
	w.set("ann", "model", "default", "k")
	w.set("ann", "mine", "work", "k")
	w.set("annabel", "model", "default", "k")
	list := func(f Filter) (text string) {
		t.Helper()
		entries, err := w.List(t.Context(), "acme", f)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			text += e.Service + "/" + e.User + "/" + e.Label + ";"
		}
		return text
	}
	if got, want := list(Filter{All: true}), "mine/ann/work;model//default;model/ann/default;model/annabel/default;"; got != want {
		t.Errorf("all = %s, want %s", got, want)
	}
	if got, want := list(Filter{User: "ann"}), "mine/ann/work;model/ann/default;"; got != want {
		t.Errorf("of ann = %s, want %s", got, want)
	}
	if n, err := w.DeleteAll(t.Context(), "acme", "ann"); err != nil || n != 2 {
		t.Errorf("DeleteAll = %d, %v", n, err)
	}
	if got, want := list(Filter{All: true}), "model//default;model/annabel/default;"; got != want {
		t.Errorf("after it = %s, want %s", got, want)
	}
	refused := errors.New("no")
	if _, err := w.Delete(t.Context(), at("", "model", "default"), func() error { return refused }); !errors.Is(err, refused) {
		t.Errorf("Delete = %v", err)
	}
	for i, want := range []bool{true, false} {
		if done, err := w.Delete(t.Context(), at("", "model", "default"), func() error { return nil }); err != nil || done != want {
			t.Errorf("Delete %d = %v, %v", i, done, err)
		}
	}
}

// TestTypes: an entry has its kind, with which a person can change it in place, unless its service is
// known by name.
func TestTypes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, set := range []struct{ service, kind, field string }{
		{"crm", typeHTTP, "base_url"}, {"box", typeCustom, "base_url"}, {"model", "", "base_url"},
	} {
		first := protocol.ServiceSet{Type: set.kind, Fields: fields(set.field, `"https://a.example"`, "api_key", `"k"`)}
		if _, err := w.Set(t.Context(), at("", set.service, "default"), first, "root", granted); err != nil {
			t.Fatalf("%s: %v", set.service, err)
		}
		on := true
		merged, err := w.Set(t.Context(), at("", set.service, "default"),
			protocol.ServiceSet{Type: set.kind, Merge: true, Active: &on, Fields: fields("api_key", `"k2"`)}, "root", granted)
		if err != nil || merged.Type != set.kind {
			t.Errorf("%s is of the kind %q, %v", set.service, merged.Type, err)
		}
		if list, err := w.List(t.Context(), "acme", Filter{Service: set.service, All: true}); err != nil || len(list) != 1 || list[0].Type != set.kind {
			t.Errorf("%s is listed as %+v, %v", set.service, list, err)
		}
	}
}

func TestWithoutMasterKey(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Keys = noKeys{}
	_, err := w.Set(t.Context(), at("", "model", "default"), protocol.ServiceSet{Fields: fields("api_key", `"canary"`)}, "root", granted)
	var e *tool.Error
	if !errors.As(err, &e) || e.Kind != tool.NotConfigured || !strings.Contains(e.Msg, "--secrets-key FILE") ||
		strings.Contains(e.Error(), "canary") {
		t.Errorf("Set = %v", err)
	}
}
