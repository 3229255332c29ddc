package people

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/test/e2e/system"
)

// TestOperations: the operations of services answer over HTTP and NATS as the protocol
// describes them, with their errors.
func TestOperations(t *testing.T) {
	t.Parallel()
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer canary-good" {
			w.WriteHeader(http.StatusUnauthorized)
		}
	}))
	t.Cleanup(provider.Close)
	s := system.Launch(t, system.Plan{})
	system.EveryDoor(t, s, func(t *testing.T, d system.Door) {
		tenant := system.NewTenant()
		ask := func(operation, at, body string) system.Reply {
			t.Helper()
			params := map[string]string{}
			for i, part := range strings.Split(at, "/") {
				if part != "" {
					params[[]string{"service", "label", "user"}[i]] = part
				}
			}
			return d.Ask(t, tenant, operation, params, body)
		}
		for _, step := range []struct {
			operation, at, body string
			status              int
			want                string
		}{
			{"services.list", "", "", 200, `"entries":[]`},
			{"services.get", "nope", "", 404, "there is no service"},
			{"services.set", "opnai/default", `{"fields": {"api_key": "canary"}}`, 404, "did you mean openai?"},
			{
				"services.set", "openai/default", `{"fields": {"api_kye": "canary"}}`, 400,
				`\"api_kye\" is not a field of openai (did you mean api_key?)`,
			},
			{
				"services.set", "smtp/default", `{"fields": {"host": "h", "from": "a@b.example", "tls": "ssl"}}`, 400,
				`\"tls\" must be one of starttls, tls, none`,
			},
			{"services.set", "smtp/default", `{"fields": {"host": "h", "from": "a@b.example", "port": 0}}`, 400, `\"port\" must be a port`},
			{"services.set", "brave/default", `{"fields": {"base_url": "https://x.example"}}`, 400, `\"api_key\" is required`},
			{"services.set", "openai/default", `{"fields": {"api_key": "canary\nx"}}`, 400, `\"api_key\" has control characters`},
			{"services.set", "own/default", `{"type": "http", "fields": {"api_key": "canary"}}`, 400, `\"base_url\" is required`},
			{"services.delete", "openai/default", "", 404, "there is no entry default of the service openai"},
			{"services.test", "openai/default", "", 404, "there is no entry default of the service openai"},
			{
				"services.set", "own/default", `{"type": "http", "fields": {"base_url": "` + provider.URL + `", "api_key": "canary-good"}}`, 200,
				`"service":"own","label":"default","type":"http","active":true,"fields":{"api_key":{"set":true},"base_url":"` + provider.URL + `"}`,
			},
			{
				"services.test", "own/default", "", 200,
				`{"ok":true,"message":"` + strings.TrimPrefix(provider.URL, "http://") + ` accepted the request: 200 OK","status":200}`,
			},
			{
				"services.set", "own/second",
				`{"type": "http", "active": false, "fields": {"base_url": "` + provider.URL + `", "user": "u", "password": "canary-bad"}}`, 200,
				`"label":"second","type":"http","active":false`,
			},
			{
				"services.test", "own/second", "", 200,
				`"ok":false,"message":"` + strings.TrimPrefix(provider.URL, "http://") + ` refused the credentials: 401 Unauthorized","status":401}`,
			},
			// it replaces the whole entry
			{
				"services.set", "own/default/", `{"type": "http", "fields": {"base_url": "` + provider.URL + `"}}`, 200,
				`"fields":{"base_url":"` + provider.URL + `"}`,
			},
			{"services.test", "own/default", "", 200, `"status":401`},
			{"services.get", "own", "", 200, `"label":"second"`},
			{
				"services.set", "own/default",
				`{"type": "http", "user": "ann", "fields": {"base_url": "` + provider.URL + `", "api_key": "canary-good"}}`, 200, `"user":"ann"`,
			},
			{"services.get", "own//ann", "", 200, `"user":"ann"`},
			{"services.delete", "own/default/ann", "", 200, ""},
			{"services.delete", "own/default/ann", "", 404, "there is no entry"},
			{"services.delete", "own/second", "", 200, ""},
		} {
			right := func() bool {
				r := ask(step.operation, step.at, step.body)
				if strings.Contains(string(r.Body), "canary") {
					t.Errorf("%s %s = %s", step.operation, step.at, r.Body)
				}
				return r.Status == step.status && strings.Contains(string(r.Body), step.want)
			}
			if step.operation == "services.test" || step.operation == "services.get" { // a change reaches their readers by NATS
				system.Eventually(t, step.operation+" "+step.at+" answers "+step.want, right)
			} else if !right() {
				t.Errorf("%s %s %s = %s, want %d %s",
					step.operation, step.at, step.body, ask(step.operation, step.at, step.body).Body, step.status, step.want)
			}
		}
	})
}
