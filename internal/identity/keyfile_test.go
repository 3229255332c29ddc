package identity

import (
	"fmt"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

const (
	someID   = "abcdefghij23"
	someHash = "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
)

// entryText is an entry with lines of its own at the end.
func entryText(lines ...string) string {
	return fmt.Sprintf("- id: %s\n  hash: %s\n  tenant: t\n  roles: [agent]\n", someID, someHash) + indent(lines)
}

func indent(lines []string) (text string) {
	for _, line := range lines {
		text += "  " + line + "\n"
	}
	return text
}

func TestParseKeys(t *testing.T) {
	t.Parallel()
	ring, err := parseKeys([]byte(entryText("user: u", "agent: a", "name: laptop of u", "expires: 2030-01-02T03:04:05Z", "disabled: true")))
	k := ring[someID]
	if err != nil || len(ring) != 1 || k.who.Tenant != "t" || k.who.User != "u" || k.who.Agent != "a" || k.who.Name != "laptop of u" ||
		!k.who.Has(Agent) || len(k.who.Roles) != 1 || k.who.Open || k.expires.Year() != 2030 || !k.disabled {
		t.Errorf("parseKeys = %+v, %v", ring, err)
	}
	ring, err = parseKeys([]byte(entryText()))
	if k := ring[someID]; err != nil || k.who.User != "" || k.who.Name != "key "+someID || !k.expires.IsZero() || k.disabled {
		t.Errorf("parseKeys of what an entry needs = %+v, %v", ring, err)
	}
	if ring, err := parseKeys([]byte("[]")); err != nil || len(ring) != 0 {
		t.Errorf("parseKeys of no keys = %v, %v", ring, err)
	}
}

func TestParseKeysRefuses(t *testing.T) {
	t.Parallel()
	key, _, _ := NewKey()
	const secret = "hunter2hunter2"
	for name, tt := range map[string]struct{ text, want string }{
		"empty":             {"", "it is empty"},
		"a comment":         {"# no keys yet\n", "it is empty"},
		"no list":           {"id: x\n", "not a YAML list"},
		"no YAML":           {"- [\n", "not a YAML list"},
		"no mapping":        {"- " + secret + "\n", "entry 1 at line 1"},
		"two documents":     {entryText() + "---\n" + entryText(), "more than one YAML document"},
		"a duplicate":       {entryText() + entryText(), "the id stands twice"},
		"a whole key":       {entryText("name: " + key), "line 5 holds a whole API key"},
		"a key in comment":  {"# " + key + "\n" + entryText(), "line 1 holds a whole API key"},
		"a plain secret":    {entryText("secret: " + secret), `no field "secret"`},
		"a plain hash":      {strings.Replace(entryText(), someHash, secret, 1), "hash must be"},
		"a list as hash":    {strings.Replace(entryText(), someHash, "["+secret+"]", 1), "wrong kind"},
		"an unknown role":   {strings.Replace(entryText(), "agent", "root", 1), `roles has "root"`},
		"no role":           {strings.Replace(entryText(), "agent", "", 1), "roles is empty"},
		"roles as text":     {strings.Replace(entryText(), "[agent]", "agent", 1), "wrong kind"},
		"a bad id":          {strings.Replace(entryText(), someID, "A", 1), "id must be"},
		"no tenant":         {strings.Replace(entryText(), "tenant: t", "tenant:", 1), "tenant must be"},
		"a bad tenant":      {strings.Replace(entryText(), "tenant: t", "tenant: a.b", 1), "tenant must be"},
		"a bad user":        {entryText("user: a b"), "user must be"},
		"nobody":            {entryText("user: _"), "choose another"},
		"a bad agent":       {entryText("agent: '*'"), "agent must be"},
		"a name over lines": {entryText(`name: "a\nb"`), "name must be"},
		"a bad time":        {entryText("expires: tomorrow"), "expires is"},
		"a field twice":     {entryText("user: u", "user: v"), "stands twice"},
		"a later entry": {
			entryText() + strings.Replace(entryText("user: a b"), someID, "abcdefghij77", 1), "entry 2 at line 5 (id \"abcdefghij77\")",
		},
	} {
		ring, err := parseKeys([]byte(tt.text))
		if err == nil || !strings.Contains(err.Error(), tt.want) || ring != nil {
			t.Errorf("%s: %v, %v, want an error with %q", name, ring, err, tt.want)
		}
		if err != nil && (strings.Contains(err.Error(), secret) || strings.Contains(err.Error(), key[16:])) {
			t.Errorf("%s: the error shows the secret: %v", name, err)
		}
	}
}

// What `helve auth key` prints can be read, whatever its letters look like to
// YAML.
func TestEntryRoundTrip(t *testing.T) {
	t.Parallel()
	for _, id := range []string{someID, "234567234567", "2e7777777777"} {
		e := Entry{ID: id, Hash: someHash, Tenant: "null", User: "123", Roles: []string{"user", "admin"}, Name: "a: b # c"}
		text, err := yaml.Marshal([]Entry{e})
		if err != nil {
			t.Fatal(err)
		}
		ring, err := parseKeys(text)
		if k := ring[id]; err != nil || k.who.Tenant != "null" || k.who.User != "123" || k.who.Name != e.Name || !k.who.Has(Admin) {
			t.Errorf("%s\nis read as %+v, %v", text, ring, err)
		}
	}
}
