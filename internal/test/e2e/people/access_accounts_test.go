package people

import (
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/test/e2e/system"
)

// TestForeignAccounts: a person sees, sets, tests and deletes only their own accounts of
// services, an agent none, and an auditor neither.
func TestForeignAccounts(t *testing.T) {
	t.Parallel()
	f := newForeigners(t)
	entry := func(user string) map[string]string {
		p := map[string]string{"service": "openai", "label": "default"}
		if user != "" {
			p["user"] = user
		}
		return p
	}
	set := func(d system.Door, service, body string) int {
		return d.Ask(t, "default", "services.set", map[string]string{"service": service, "label": "default"}, body).Status
	}
	if got := set(f.ann, "openai", `{"fields": {"api_key": "anns", "base_url": "https://ann.example"}}`); got != 200 {
		t.Fatalf("ann's own = %d", got)
	}
	if got := set(f.admin, "openai", `{"fields": {"api_key": "tenants", "base_url": "https://tenant.example"}}`); got != 200 {
		t.Fatalf("the tenant's = %d", got)
	}
	for name, d := range map[string]system.Door{"http": f.bob, "nats": f.bobsNATS} {
		for _, operation := range []string{"services.list", "services.get"} {
			r := d.Ask(t, "default", operation, map[string]string{"service": "openai"}, "{}")
			if text := string(r.Body); r.Status != 200 || strings.Contains(text, "ann.example") || strings.Contains(text, "tenant.example") ||
				!strings.Contains(text, `"entries":[]`) {
				t.Errorf("%s: %s = %d %s", name, operation, r.Status, text)
			}
			if r := d.Ask(t, "default", operation, entry("ann"), "{}"); r.Status != 403 {
				t.Errorf("%s: %s of ann = %d %s", name, operation, r.Status, r.Body)
			}
		}
		if got := set(d, "openai", `{"user": "ann", "fields": {"api_key": "bobs"}}`); got != 403 {
			t.Errorf("%s: services.set for ann = %d", name, got)
		}
		if got := set(d, "shell", `{"fields": {"enabled": true}}`); got != 403 {
			t.Errorf("%s: services.set of what an admin decides = %d", name, got)
		}
		for _, operation := range []string{"services.delete", "services.test"} {
			if r := d.Ask(t, "default", operation, entry("ann"), "{}"); r.Status != 403 {
				t.Errorf("%s: %s of ann = %d %s", name, operation, r.Status, r.Body)
			}
		}
		if r := d.Ask(t, "default", "services.delete", entry(""), "{}"); r.Status != 404 { // bob's own, of which there is none
			t.Errorf("%s: services.delete = %d %s", name, r.Status, r.Body)
		}
		if r := d.Ask(t, "default", "services.rotate", nil, "{}"); r.Status != 403 {
			t.Errorf("%s: services.rotate = %d %s", name, r.Status, r.Body)
		}
		if got := set(d, "openai", `{"fields": {"api_key": "bobs"}}`); got != 200 {
			t.Errorf("%s: bob's own = %d", name, got)
		}
		if r := d.Ask(t, "default", "services.delete", entry(""), "{}"); r.Status != 200 {
			t.Errorf("%s: services.delete of bob's own = %d %s", name, r.Status, r.Body)
		}
	}
	for name, d := range map[string]system.Door{"an agent of ann": f.annsAgent, "an auditor": f.auditor} {
		if r := d.Ask(t, "default", "services.list", nil, "{}"); r.Status != 403 {
			t.Errorf("%s: services.list = %d %s", name, r.Status, r.Body)
		}
		if got := set(d, "openai", `{"fields": {"api_key": "k"}}`); got != 403 {
			t.Errorf("%s: services.set = %d", name, got)
		}
	}
	agent := f.ann.Ask(t, "default", "services.list", nil, `{}`)
	if text := string(agent.Body); !strings.Contains(text, "ann.example") || strings.Contains(text, "tenant.example") {
		t.Errorf("ann's list = %s", text)
	}
	all := string(f.admin.Ask(t, "default", "services.list", nil, "{}").Body)
	if !strings.Contains(all, "ann.example") || !strings.Contains(all, "tenant.example") || strings.Contains(all, "anns") ||
		strings.Contains(all, "tenants") {
		t.Errorf("an admin's list = %s", all)
	}
}
