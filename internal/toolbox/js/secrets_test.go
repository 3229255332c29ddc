package js

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
)

// vault is a config center with one entry.
type vault struct{}

func (vault) Entries(context.Context, string) ([]tool.ServiceEntry, error) {
	return []tool.ServiceEntry{{Label: "main", Active: true, Data: map[string]string{"api_key": "s3cret/key", "region": "eu"}}}, nil
}

// TestSecretsAreMasked: values that a script received appear in no log and no error.
func TestSecretsAreMasked(t *testing.T) {
	var lines []string
	p := &Ports{Call: &tool.Call{Secrets: vault{}}, Services: []string{"bank"}, Log: func(l LogLine) { lines = append(lines, l.Message) }}
	program, err := CompileBody("leaky",
		`const key = utils.getApiKey("bank"); console.log("key " + key, "in eu"); throw new Error("GET /?k=" + encodeURIComponent(key) + " " + args.env)`)
	if err != nil {
		t.Fatal(err)
	}
	p.Conceal("from-the-environment", "eu")
	_, err = Run(t.Context(), &Task{Program: program, Args: []byte(`{"env":"from-the-environment"}`), Host: p})
	err = p.Clean(err)
	for _, text := range append(lines, err.Error()) {
		if strings.Contains(text, "s3cret") || strings.Contains(text, "from-the-environment") || !strings.Contains(text, concealed) {
			t.Errorf("%q shows a secret, or hides more", text)
		}
	}
	if len(lines) != 1 || !strings.Contains(lines[0], "in eu") {
		t.Errorf("lines %q, want what is too short to be a secret left", lines)
	}
	if other := errors.New("x"); !errors.Is(p.Clean(other), other) || p.Clean(nil) != nil {
		t.Error("Clean changes what is no tool error")
	}
}
