package people

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/accounts/oauth/oauthtest"
	"github.com/helve-dev/helve/internal/test/e2e/system"
)

// connected connects the account of a person.
func connected(t *testing.T, s *system.System, user string) {
	t.Helper()
	d := s.HTTP(0)
	e, asked := waiting(t, d, user, `{"tool": "cloud_read"}`)
	if status, at := newBrowser(t, s, "").open(t, asked.ConnectURL); status != 200 {
		t.Fatalf("the browser ends at %s with %d", at, status)
	}
	used(t, done(t, d, e.CallID))
	body := strings.TrimSuffix(strings.Repeat(`{"tool": "cloud_read"},`, 30), ",")
	system.Eventually(t, "all workers have the registration", func() bool {
		all := system.Execute(t, d, "default", system.CallAs(user, body)).Results
		return !slices.ContainsFunc(all, func(e system.Element) bool { return e.Status != "success" })
	})
}

// TestOneRefresh: 1,000 calls on three workers need the same expired account, and two
// dispatchers make one request.
func TestOneRefresh(t *testing.T) {
	t.Parallel()
	s := launchCloud(t, system.Plan{Dispatchers: 2, Config: func(c *config.Config) { c.Worker.Slots = 200 }}, 3)
	p := oauthtest.New(t, oauthtest.Behaviour{Life: 2 * time.Second})
	register(t, s.HTTP(0), cloud, oauthtest.Body(p.Discovered()))
	connected(t, s, "ann")
	p.Set(func(b *oauthtest.Behaviour) { b.Life = time.Hour })
	since := time.Now()
	before := p.Requests("/token", "refresh_token")
	system.Eventually(t, "the token has expired", func() bool { return time.Since(since) > 2*time.Second })
	if n := p.Requests("/token", "refresh_token"); n != before {
		t.Fatal("a token was replaced that nobody needed")
	}
	const calls = 1000
	doors := []system.Door{s.HTTP(0), s.HTTP(1)}
	results := make([][]system.Element, len(doors))
	ready := make(chan int)
	for i, d := range doors {
		go func() {
			var all []string
			for n := range calls / len(doors) {
				all = append(all, fmt.Sprintf(`{"tool": "cloud_read", "arguments": {"n": %d}}`, n+1))
			}
			results[i] = system.Execute(t, d, "default", system.CallAs("ann", strings.Join(all, ","))).Results
			ready <- i
		}()
	}
	for range doors {
		system.Receive(t, "the calls of a dispatcher", ready)
	}
	token := ""
	for _, list := range results {
		for _, e := range list {
			if e.Status == "pending" {
				e = done(t, doors[0], e.CallID)
			}
			got := used(t, e).Token
			if token == "" {
				token = got
			}
			if got != token || !p.Valid(got) {
				t.Fatalf("a call got %s, another one %s", got, token)
			}
		}
	}
	if n := p.Requests("/token", "refresh_token") - before; n != 1 {
		t.Errorf("%d requests to replace the token, want 1", n)
	}
}

// TestEarlyRefusal: after a 401 of the API a tool gets another token, once for all calls
// that report the same one.
func TestEarlyRefusal(t *testing.T) {
	t.Parallel()
	s := launchCloud(t, system.Plan{}, 2)
	p := oauthtest.New(t, oauthtest.Behaviour{Life: time.Hour})
	d := s.HTTP(0)
	register(t, d, cloud, oauthtest.Body(p.Discovered()))
	connected(t, s, "ann")
	first := used(t, call(t, d, "ann", `{"tool": "cloud_read"}`)).Token
	p.Revoke(false)
	second := used(t, call(t, d, "ann", `{"tool": "cloud_read", "arguments": {"refused": true}}`)).Token
	if second == first || !p.Valid(second) {
		t.Errorf("after a refusal the token is %s, before it was %s", second, first)
	}
	if got := used(t, call(t, d, "ann", `{"tool": "cloud_late"}`)).Token; got != second {
		t.Errorf("the next call gets %s, want %s", got, second)
	}
	if n := p.Requests("/token", "refresh_token"); n != 1 {
		t.Errorf("%d requests to replace the token, want 1", n)
	}
}

// TestLostAccount: a call whose account the provider no longer accepts waits again, and runs
// when it is connected again.
func TestLostAccount(t *testing.T) {
	t.Parallel()
	s := launchCloud(t, system.Plan{Dispatchers: 2}, 2)
	p := oauthtest.New(t, oauthtest.Behaviour{Life: time.Hour})
	d := s.HTTP(0)
	register(t, d, cloud, oauthtest.Body(p.Discovered()))
	connected(t, s, "ann")
	p.Revoke(true)
	e, asked := waiting(t, d, "ann", `{"tool": "cloud_read", "arguments": {"refused": true}}`)
	if asked.Kind != "account" || !strings.Contains(asked.Reason, "must be connected again") {
		t.Errorf("the consent is %+v", asked)
	}
	list := string(d.Ask(t, "default", "services.get", map[string]string{"service": cloud, "user": "ann"}, "").Body)
	if !strings.Contains(list, `"active":false`) {
		t.Errorf("services.get = %s", list)
	}
	if status, _ := newBrowser(t, s, "").open(t, asked.ConnectURL); status != 200 {
		t.Fatalf("connecting again = %d", status)
	}
	if got := used(t, done(t, d, e.CallID)).Token; !p.Valid(got) {
		t.Errorf("the call got %s", got)
	}
	if !strings.Contains(trail(t, d), "is no longer connected") {
		t.Error("the loss is not on the trail")
	}
}

// TestNoRefreshToken: an account whose token cannot be replaced is connected again after the
// API has refused it.
func TestNoRefreshToken(t *testing.T) {
	t.Parallel()
	s := launchCloud(t, system.Plan{}, 1)
	p := oauthtest.New(t, oauthtest.Behaviour{NoRefresh: true})
	d := s.HTTP(0)
	register(t, d, cloud, oauthtest.Body(p.Fields()))
	connected(t, s, "ann")
	_, asked := waiting(t, d, "ann", `{"tool": "cloud_read", "arguments": {"refused": true}}`)
	if !strings.Contains(asked.Reason, "has given none to replace it with") {
		t.Errorf("the consent is %+v", asked)
	}
}

// TestProviderInTrouble: while a provider fails, calls fail with its failure, and the
// account stays connected.
func TestProviderInTrouble(t *testing.T) {
	t.Parallel()
	s := launchCloud(t, system.Plan{}, 1)
	p := oauthtest.New(t, oauthtest.Behaviour{Life: time.Hour})
	d := s.HTTP(0)
	register(t, d, cloud, oauthtest.Body(p.Fields()))
	connected(t, s, "ann")
	for kind, b := range map[string]oauthtest.Behaviour{
		"network_error": {Answer: func(w http.ResponseWriter, _ *http.Request) bool { w.WriteHeader(503); return true }},
		"rate_limited":  {Answer: func(w http.ResponseWriter, _ *http.Request) bool { w.WriteHeader(429); return true }},
		"execution_error": {Answer: func(w http.ResponseWriter, _ *http.Request) bool {
			_, _ = w.Write([]byte("nonsense"))
			return true
		}},
		"timeout": {Hang: true},
	} {
		p.Set(func(now *oauthtest.Behaviour) { *now = b })
		system.Eventually(t, "a call ends in "+kind, func() bool {
			return call(t, d, "ann", `{"tool": "cloud_read", "arguments": {"refused": true}}`).ErrorType == kind
		})
	}
	p.Set(func(b *oauthtest.Behaviour) { *b = oauthtest.Behaviour{Life: time.Hour} })
	system.Eventually(t, "a call gets a token again", func() bool {
		return call(t, d, "ann", `{"tool": "cloud_read", "arguments": {"refused": true}}`).Status == "success"
	})
	if !strings.Contains(trail(t, d), "was not replaced: network_error") {
		t.Error("the failures are not on the trail")
	}
}

// TestRegistrationChanged: tokens are not sent to addresses that an admin has set since.
func TestRegistrationChanged(t *testing.T) {
	t.Parallel()
	s := launchCloud(t, system.Plan{}, 1)
	p, thief := oauthtest.New(t, oauthtest.Behaviour{Life: time.Hour}), oauthtest.New(t, oauthtest.Behaviour{})
	d := s.HTTP(0)
	register(t, d, cloud, oauthtest.Body(p.Fields()))
	connected(t, s, "ann")
	register(t, d, cloud, oauthtest.Body(p.Fields(), "token_url", thief.URL+"/token", "base_url", thief.URL))
	var asked request
	system.Eventually(t, "the call waits", func() bool {
		e := call(t, d, "ann", `{"tool": "cloud_read"}`)
		if e.State != "awaiting_consent" {
			return false // the worker has not received the change yet
		}
		asked = consentOf(t, d, "ann", e.ConsentID)
		return true
	})
	if !strings.Contains(asked.Reason, "the registration of Helve there was changed") {
		t.Errorf("the consent is %+v", asked)
	}
	if n := thief.Requests("/token", ""); n != 0 {
		t.Errorf("%d requests at the new address", n)
	}
	keep := `{"merge": true, "fields": {"revocation_url": "` + thief.URL + `/revoke"}}`
	if r := d.Ask(t, "default", "services.set", map[string]string{"service": cloud, "label": "default"}, keep); r.Status != 400 ||
		!strings.Contains(string(r.Body), "must be given again") {
		t.Errorf("an address is changed and the secret kept = %d %s", r.Status, r.Body)
	}
}

// trail returns what is on the trail about services.
func trail(t *testing.T, d system.Door) string {
	t.Helper()
	var text strings.Builder
	for _, tool := range []string{"services.set", "services.connect", "services.renew", "services.delete"} {
		text.Write(d.Ask(t, "default", "audit.query", map[string]string{"tool": tool, "limit": "1000"}, "").Body)
	}
	return text.String()
}
