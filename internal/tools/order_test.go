package tools

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

// configured is a config center in which every service has an entry, or none has.
type configured bool

// Entries implements [tool.Secrets].
func (c configured) Entries(context.Context, string) ([]tool.ServiceEntry, error) {
	if !c {
		return nil, nil
	}
	data := map[string]string{}
	for _, name := range []string{
		"api_key", "token", "username", "password", "email", "address", "from", "model", "app_id", "client_id", "client_secret",
	} {
		data[name] = "value@example.com"
	}
	for _, name := range []string{"base_url", "url", "endpoint"} {
		data[name] = "https://api.example.com"
	}
	for _, name := range []string{"host", "imap_host", "smtp_host"} {
		data[name] = "mail.example.com"
	}
	for _, name := range []string{"port", "imap_port", "smtp_port"} {
		data[name] = "993"
	}
	return []tool.ServiceEntry{{Label: "main", Default: true, Active: true, Data: data}}, nil
}

// picture is a PNG of one pixel.
const picture = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\b\x02\x00\x00\x00\x90wS\xde\x00\x00\x00\fIDATx\x9c" +
	"c\xf8\xcf\xc0\x00\x00\x03\x01\x01\x00\xc9\xfe\x92\xef\x00\x00\x00\x00IEND\xaeB`\x82"

// away is a network in which nothing answers.
type away struct{}

var errAway = errors.New("nothing answers")

// Do implements [tool.HTTP].
func (away) Do(*http.Request) (*http.Response, error) { return nil, errAway }

// DialContext implements [tool.Dialer].
func (away) DialContext(context.Context, string, string) (net.Conn, error) { return nil, errAway }

// wrong returns calls of a tool of which some have arguments that the tool refuses: none at all,
// and its example with one argument left out or replaced.
func wrong(t *testing.T, tl *tool.Tool) (all []string) {
	t.Helper()
	all = append(all, "{}")
	var example map[string]json.RawMessage
	if err := json.Unmarshal([]byte(tl.Example), &example); err != nil {
		return all
	}
	var schema struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	if err := json.Unmarshal(tl.Parameters, &schema); err != nil {
		t.Fatal(err)
	}
	for name := range schema.Properties {
		for _, value := range []string{"", `""`, `" "`, `"no such thing"`, `-1`, `1e9`, `[]`, `[""]`, `{}`} {
			changed := maps.Clone(example)
			if changed[name] = json.RawMessage(value); value == "" {
				delete(changed, name)
			}
			text, err := json.Marshal(changed)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, string(text))
		}
	}
	slices.Sort(all)
	return all
}

// TestArgumentsComeFirst: arguments that a tool refuses are refused whether or not the services
// that it needs are configured. Otherwise somebody configures a service for a call that cannot
// work.
func TestArgumentsComeFirst(t *testing.T) {
	for _, tl := range every() {
		if !tl.Needs.Has(tool.NeedSecrets) {
			continue
		}
		t.Run(tl.Name, func(t *testing.T) {
			t.Parallel()
			store := tooltest.NewStore(t)
			kind := func(service configured, args string) tool.Kind {
				call := tool.Call{
					User: "ann", Secrets: service, HTTP: away{}, Dialer: away{}, Files: tooltest.Files{"picture.png": picture, "memo.mp3": "x"},
					Store: store,
				}
				_, err := tooltest.Play(t.Context(), tl, call, args)
				var missing tooltest.MissingPort
				if errors.As(err, &missing) {
					t.Skip(err)
				}
				if e := tool.AsError(err); err != nil && e != nil {
					return e.Kind
				}
				return ""
			}
			for _, args := range wrong(t, tl) {
				if strings.Contains(args, `"glossary":"no such`) { // which only one of the services takes
					continue
				}
				if kind(true, args) == tool.ValidationError {
					if got := kind(false, args); got != tool.ValidationError {
						t.Errorf("%s ends in %s without a service, and in validation_error with one", args, got)
					}
				}
			}
		})
	}
}
