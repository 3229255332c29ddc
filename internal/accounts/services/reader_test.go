package services

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
)

// file is an operator's file: entries by "user/service", the tenant's without a user.
type file map[string][]tool.ServiceEntry

func (f file) For(_, user string) tool.Secrets { return fileOf{f, user} }

type fileOf struct {
	file
	user string
}

func (f fileOf) Entries(_ context.Context, service string) (all []tool.ServiceEntry, _ error) {
	if f.user != "" {
		all = append(all, f.file[f.user+"/"+service]...)
	}
	return append(all, f.file["/"+service]...), nil
}

func of(label, key string) tool.ServiceEntry {
	return tool.ServiceEntry{Label: label, Default: label == DefaultLabel, Active: true, Data: map[string]string{"api_key": key}}
}

func TestPersonsAreApart(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.set("", "model", "default", "tenants")
	w.set("", "model", "backup", "spare")
	w.set("ann", "model", "default", "anns")
	r, _ := w.reader(w.Keys, nil)
	for _, tt := range []struct{ tenant, user, service, want string }{
		{"acme", "", "model", "backup:spare;default:tenants;"},
		{"acme", "bob", "model", "backup:spare;default:tenants;"},
		{"acme", "ann", "model", "default:anns;backup:spare;default:tenants;"},
		{"beta", "ann", "model", ""},
		{"acme", "ann", "danger", ""},
		{"acme", "tenant", "model", "backup:spare;default:tenants;"},
		{"acme", "ann.model", "default", ""},
	} {
		got := get(t, r, tt.tenant, tt.user, tt.service)
		want := strings.ReplaceAll(tt.want, "backup:spare;default:tenants;", "default:tenants;backup:spare;")
		if got != want {
			t.Errorf("%s/%s of %s = %s, want %s", tt.tenant, tt.user, tt.service, got, want)
		}
	}
}

// Stored entries hide those of the operator's file with the same label and owner.
func TestAboveTheFile(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	below := file{
		"/model": {of("default", "file"), of("work", "file-work")}, "ann/model": {of("default", "file-ann")},
		"bob/model": {of("mine", "file-bob")}, "ann/danger": {of("default", "file-danger")},
	}
	r, _ := w.reader(w.Keys, below)
	for user, want := range map[string]string{
		"":    "default:file;work:file-work;",
		"ann": "default:file-ann;default:file;work:file-work;",
		"bob": "mine:file-bob;default:file;work:file-work;",
	} {
		if got := get(t, r, "acme", user, "model"); got != want {
			t.Errorf("%q with the file alone = %s, want %s", user, got, want)
		}
	}
	if got := get(t, r, "acme", "ann", "danger"); got != "default:file-danger;" {
		t.Errorf("danger = %s", got)
	}
	w.set("", "model", "default", "tenants")
	w.set("ann", "model", "other", "anns")
	awaits(t, r, "acme", "", "model", "default:tenants;work:file-work;")
	awaits(t, r, "acme", "ann", "model", "default:file-ann;other:anns;default:tenants;work:file-work;")
	if _, err := w.DeleteAll(t.Context(), "acme", "ann"); err != nil {
		t.Fatal(err)
	}
	awaits(t, r, "acme", "ann", "model", "default:file-ann;default:tenants;work:file-work;")
}

// A change reaches two workers, and no decrypted value is used after it.
func TestChangesReachEveryWorker(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	one, _ := w.reader(w.Keys, nil)
	two, _ := w.reader(w.keys(w.text), nil)
	for _, key := range []string{"first", "second"} {
		w.set("", "model", "default", key)
		for _, r := range []*Reader{one, two} {
			awaits(t, r, "acme", "ann", "model", "default:"+key+";")
		}
	}
	if _, err := w.Delete(t.Context(), at("", "model", "default"), func() error { return nil }); err != nil {
		t.Fatal(err)
	}
	for _, r := range []*Reader{one, two} {
		awaits(t, r, "acme", "ann", "model", "")
	}
}

// An entry that was put in the place of another is an error, never an account.
func TestMovedEntry(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.set("ann", "model", "default", "canary")
	value, err := w.bucket.Get(t.Context(), "acme.user.ann.model.default")
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.Replace(string(value), `"active":true`, `"active":true,"values":{"base_url":"https://thief.example"}`, 1)
	if changed == string(value) {
		t.Fatalf("nothing to change in %s", value)
	}
	for key, value := range map[string]string{
		"acme.user.bob.model.default": string(value),
		"acme.tenant.model.default":   string(value),
		"acme.user.cy.model.default":  "{}",
		"acme.user.ann.model.default": changed,
	} {
		if err := w.bucket.Put(t.Context(), key, []byte(value)); err != nil {
			t.Fatal(err)
		}
	}
	r, logs := w.reader(w.Keys, nil)
	for _, user := range []string{"ann", "bob", "cy", ""} {
		_, err := r.For("acme", user).Entries(t.Context(), "model")
		if e := tool.AsError(err); e == nil || e.Kind != tool.NotConfigured || !strings.Contains(e.Msg, "changed or moved") {
			t.Errorf("%q: %v", user, err)
		}
	}
	for _, line := range logs.All() {
		if text := fmt.Sprint(line.Message, line.ContextMap()); strings.Contains(text, "canary") || strings.Contains(text, "thief") {
			t.Errorf("log: %s", text)
		}
	}
}

func TestReadersPrintNoValues(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.set("", "model", "default", "canary")
	r, _ := w.reader(w.Keys, nil)
	if got := get(t, r, "acme", "", "model"); got != "default:canary;" {
		t.Fatal(got)
	}
	for _, v := range []any{r, r.For("acme", "ann"), struct{ S tool.Secrets }{r.For("acme", "")}} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s"} {
			if text := fmt.Sprintf(verb, v); strings.Contains(text, "canary") {
				t.Errorf("%s of %T: %s", verb, v, text)
			}
		}
	}
}

func TestDefaultsAndOwnership(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.set("", "model", "default", "k")
	r, _ := w.reader(w.Keys, nil)
	for range 2 {
		entries, err := r.For("acme", "").Entries(t.Context(), "model")
		if err != nil || len(entries) != 1 || entries[0].Data["base_url"] != "https://model.example/v1" {
			t.Fatalf("Entries = %v, %v", entries, err)
		}
		entries[0].Data["base_url"], entries[0].Label = "changed", "changed"
	}
}

// BenchmarkEntries measures what reading a secret costs a call.
func BenchmarkEntries(b *testing.B) {
	r := &Reader{Registry: &Registry{}, Below: file{"/model": {of("work", "k")}}}
	g := group{"acme", "", "model"}
	e := &stored{}
	entry := of("default", "canary")
	e.opened.Store(&entry)
	r.entries = map[group][]*stored{g: {e}}
	b.ReportAllocs()
	for b.Loop() {
		if list, err := r.For("acme", "ann").Entries(b.Context(), "model"); err != nil || len(list) != 2 {
			b.Fatal(list, err)
		}
	}
}
