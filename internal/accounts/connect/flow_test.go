package connect

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/accounts/oauth/oauthtest"
	"github.com/helve-dev/helve/internal/accounts/services"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/identity/vault"
	"github.com/helve-dev/helve/internal/test/testtime"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// kindOf returns the kind of an error.
func kindOf(err error) tool.Kind {
	if e := tool.AsError(err); e != nil {
		return e.Kind
	}
	return ""
}

// TestFinish: a state is of its person or browser, is used once, on any dispatcher, and
// nobody else can use it up.
func TestFinish(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2, oauthtest.Behaviour{Life: time.Hour})
	w.register(w.provider.Discovered())
	answer, cookie := w.start(w.services[0], "ann")
	_, others := w.start(w.services[0], "bob")
	s := w.services[1]
	for what, by := range map[string]Bringer{
		"nobody":                          {},
		"another cookie":                  {Cookie: others},
		"another person":                  {Tenant: "acme", User: "bob"},
		"another person with the cookie":  {Tenant: "acme", User: "bob", Cookie: cookie},
		"the person of another tenant":    {Tenant: "other", User: "ann"},
		"the person without their cookie": {Tenant: "acme"},
	} {
		if _, err := s.Finish(t.Context(), answer, by); kindOf(err) != tool.NotFound {
			t.Errorf("%s: %v", what, err)
		}
	}
	for what, bad := range map[string]Answer{
		"no state": {Code: answer.Code}, "another state": {State: "x" + answer.State, Code: answer.Code},
	} {
		if _, err := s.Finish(t.Context(), bad, Bringer{Cookie: cookie}); kindOf(err) != tool.NotFound {
			t.Errorf("%s: %v", what, err)
		}
	}
	if _, err := s.Finish(t.Context(), Answer{State: strings.Repeat("x", 10<<10)},
		Bringer{Cookie: cookie}); kindOf(err) != tool.ValidationError {
		t.Errorf("a long state: %v", err)
	}
	if n := w.provider.Requests("/token", ""); n != 0 {
		t.Fatalf("%d requests for tokens", n)
	}
	outcomes := make([]error, 10)
	var all sync.WaitGroup
	for i := range outcomes {
		all.Go(func() {
			_, outcomes[i] = w.services[i%2].Finish(t.Context(), answer, Bringer{Tenant: "acme", User: "ann"})
		})
	}
	all.Wait()
	good := 0
	for _, err := range outcomes {
		if err == nil {
			good++
		} else if kindOf(err) != tool.NotFound {
			t.Errorf("a state that was used: %v", err)
		}
	}
	if n := w.provider.Requests("/token", ""); good != 1 || n != 1 {
		t.Errorf("%d of 10 with one state succeed, with %d requests", good, n)
	}
	if a := w.account("ann"); a == nil || !w.provider.Valid(a.Access) || a.By != "ann" ||
		!w.recorded("services.connect: the account of the service cloud is connected, for read write") {
		t.Errorf("the account is %+v, the trail %v", a, w.trail)
	}
	if a := w.account("bob"); a != nil {
		t.Errorf("bob has %+v", a)
	}
}

// TestFinishRefused: a state whose registration was changed, or whose provider refuses, is
// used up, and connects nothing.
func TestFinishRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1, oauthtest.Behaviour{})
	s := w.services[0]
	for what, tt := range map[string]struct {
		between func(a *Answer)
		kind    tool.Kind
	}{
		"the registration was changed": {func(*Answer) { w.register(w.provider.Fields()) }, tool.ValidationError},
		"another issuer":               {func(a *Answer) { a.Issuer = "https://evil.example" }, tool.PermissionDenied},
		"no issuer":                    {func(a *Answer) { a.Issuer = "" }, tool.PermissionDenied},
		"a refusal":                    {func(a *Answer) { a.Code, a.Error = "", "access_denied" }, tool.ValidationError},
		"nothing":                      {func(a *Answer) { a.Code = "" }, tool.ValidationError},
		"another code":                 {func(a *Answer) { a.Code = "x" }, tool.ExecutionError},
	} {
		w.register(w.provider.Discovered())
		answer, cookie := w.start(s, "ann")
		tt.between(&answer)
		if _, err := s.Finish(t.Context(), answer, Bringer{Cookie: cookie}); kindOf(err) != tt.kind {
			t.Errorf("%s: %v, want %s", what, err, tt.kind)
		}
		if _, err := s.Finish(t.Context(), answer, Bringer{Cookie: cookie}); kindOf(err) != tool.NotFound {
			t.Errorf("%s, again: %v", what, err)
		}
		if a := w.account("ann"); a != nil {
			t.Fatalf("%s: the account is %+v", what, a)
		}
	}
}

// TestStart: what is missing is named, the attempts of a person are bounded, and cookies
// over https are bound to their host.
func TestStart(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1, oauthtest.Behaviour{})
	s := w.services[0]
	target := Target{Tenant: "acme", User: "ann", Service: "cloud"}
	if _, _, err := s.Start(t.Context(), target); kindOf(err) != tool.NotFound || !strings.Contains(err.Error(), "helve config set cloud") {
		t.Errorf("without a registration: %v", err)
	}
	w.register(w.provider.Fields())
	var states []Answer
	var cookies []string
	for range mostOpen + 1 {
		answer, cookie := w.start(s, "ann")
		states, cookies = append(states, answer), append(cookies, cookie)
	}
	if _, err := s.Finish(t.Context(), states[0], Bringer{Cookie: cookies[0]}); kindOf(err) != tool.NotFound {
		t.Errorf("the oldest of too many attempts: %v", err)
	}
	if _, err := s.Finish(t.Context(), states[1], Bringer{Cookie: cookies[1]}); err != nil {
		t.Errorf("the attempt after it: %v", err)
	}
	_, plain, err := s.Start(t.Context(), target)
	if err != nil || plain.Secure || plain.Path != "/v1/connect" || strings.HasPrefix(plain.Name, "__Host-") {
		t.Errorf("the cookie over http is %+v, %v", plain, err)
	}
	s.Public = "https://helve.example"
	page, cookie, err := s.Start(t.Context(), target)
	if err != nil || !cookie.Secure || cookie.Path != "/" || !strings.HasPrefix(cookie.Name, "__Host-") || cookie.Value == "" ||
		!strings.Contains(page, "redirect_uri=https%3A%2F%2Fhelve.example%2Fv1%2Fconnect%2Fcallback") {
		t.Errorf("over https: %s, %+v, %v", page, cookie, err)
	}
	if strings.Contains(page, cookie.Value) {
		t.Error("the provider gets the cookie")
	}
	s.Public = ""
	if _, _, err := s.Start(t.Context(), target); kindOf(err) != tool.NotConfigured || !strings.Contains(err.Error(), "http.public_url") {
		t.Errorf("without a public address: %v", err)
	}
	s.Public = "https://helve.example"
	s.Store.Keys = vault.None{}
	if _, _, err := s.Start(t.Context(), target); kindOf(err) != tool.NotConfigured || !strings.Contains(err.Error(), "master key") {
		t.Errorf("without a master key: %v", err)
	}
}

// TestDevice: a provider is asked no more often than it allows, by however many requests, and
// the account is the person's.
func TestDevice(t *testing.T) {
	t.Parallel()
	testtime.Slow(t, "it waits between requests as long as a provider demands")
	w := newWorld(t, 2, oauthtest.Behaviour{Life: time.Hour, Interval: 1, Codes: []string{"authorization_pending", "slow_down"}})
	w.register(w.provider.Discovered())
	begun, err := w.services[0].Begin(t.Context(), "acme", "ann", "cloud", false)
	if err != nil || begun.Device == nil || begun.ConnectURL != "" || begun.Status != protocol.ConnectionPending ||
		begun.Device.IntervalSeconds != 1 {
		t.Fatalf("Begin = %+v, %v", begun, err)
	}
	status := func(user, id string) (protocol.Connection, error) {
		return w.services[1].Status(t.Context(), "acme", user, "cloud", id)
	}
	for _, bad := range [][2]string{{"bob", begun.ID}, {"ann", begun.ID + "x"}, {"ann", "c-x"}} {
		if c, err := status(bad[0], bad[1]); kindOf(err) != tool.NotFound {
			t.Errorf("Status of %v = %+v, %v", bad, c, err)
		}
	}
	if _, err := w.services[0].Opened(t.Context(), Visitor{}, begun.ID); kindOf(err) != tool.NotFound {
		t.Errorf("a code as a link: %v", err)
	}
	for range 20 { // before the interval is over
		if c, err := status("ann", begun.ID); err != nil || c.Status != protocol.ConnectionPending {
			t.Fatalf("Status = %+v, %v", c, err)
		}
	}
	var last protocol.Connection
	queuetest.Until(t, "the account is connected", func() bool {
		var all sync.WaitGroup
		for range 5 {
			all.Go(func() { _, _ = status("ann", begun.ID) })
		}
		all.Wait()
		last, err = status("ann", begun.ID)
		return err == nil && last.Status == protocol.ConnectionConnected
	})
	if n := w.provider.Requests("/token", ""); n != 3 || last.Device.IntervalSeconds != 6 {
		t.Errorf("%d requests, the last interval is %+v", n, last.Device)
	}
	if a := w.account("ann"); a == nil || !w.provider.Valid(a.Access) {
		t.Errorf("the account is %+v", a)
	}
	for code, want := range map[string]string{"access_denied": protocol.ConnectionDenied, "expired_token": protocol.ConnectionExpired} {
		w.provider.Set(func(b *oauthtest.Behaviour) { b.Codes = []string{code} })
		begun, err := w.services[0].Begin(t.Context(), "acme", "bob", "cloud", false)
		if err != nil {
			t.Fatal(err)
		}
		queuetest.Until(t, "the code is "+want, func() bool {
			c, err := status("bob", begun.ID)
			return err == nil && c.Status == want
		})
	}
}

// TestLink: a link is opened by one browser without a credential, or by its person.
func TestLink(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2, oauthtest.Behaviour{Life: time.Hour})
	w.register(w.provider.Discovered())
	begun, err := w.services[0].Begin(t.Context(), "acme", "ann", "cloud", true)
	if err != nil || begun.Device != nil || begun.ConnectURL != "http://127.0.0.1:8080/v1/connect/"+begun.ID {
		t.Fatalf("Begin = %+v, %v", begun, err)
	}
	s := w.services[1]
	if _, err := s.Opened(t.Context(), Visitor{Tenant: "acme", User: "bob"}, begun.ID); kindOf(err) != tool.NotFound {
		t.Errorf("another person: %v", err)
	}
	target, err := s.Opened(t.Context(), Visitor{}, begun.ID)
	if err != nil || target != (Target{Tenant: "acme", User: "ann", Service: "cloud", Link: begun.ID, Bare: true}) {
		t.Errorf("the first browser: %+v, %v", target, err)
	}
	if _, err := s.Opened(t.Context(), Visitor{}, begun.ID); kindOf(err) != tool.NotFound {
		t.Errorf("the second browser: %v", err)
	}
	if _, err := s.Opened(t.Context(), Visitor{Tenant: "acme", User: "ann"}, begun.ID); err != nil {
		t.Errorf("its person: %v", err)
	}
	page, cookie, err := s.Start(t.Context(), target)
	if err != nil {
		t.Fatal(err)
	}
	done, err := w.services[0].Finish(t.Context(), w.agree(page), Bringer{Cookie: cookie.Value})
	if err != nil || len(done.Code) != 9 {
		t.Fatalf("Finish = %+v, %v", done, err)
	}
	if c, err := s.Status(t.Context(), "acme", "ann", "cloud", begun.ID); err != nil || c.Status != protocol.ConnectionConfirm ||
		w.account("ann") != nil {
		t.Errorf("Status = %+v, %v; the account is %+v", c, err, w.account("ann"))
	}
	if c, err := s.Confirm(t.Context(), "acme", "bob", "cloud", begun.ID, done.Code); kindOf(err) != tool.NotFound {
		t.Errorf("the code of another person: %+v, %v", c, err)
	}
	if c, err := s.Confirm(t.Context(), "acme", "ann", "cloud", begun.ID, "AAAA-AAAA"); kindOf(err) != tool.ValidationError {
		t.Errorf("another code: %+v, %v", c, err)
	}
	if c, err := s.Confirm(t.Context(), "acme", "ann", "cloud", begun.ID, " "+strings.ToLower(done.Code)); err != nil ||
		c.Status != protocol.ConnectionConnected {
		t.Errorf("the code: %+v, %v", c, err)
	}
	if c, err := s.Status(t.Context(), "acme", "ann", "cloud", begun.ID); err != nil || c.Status != protocol.ConnectionConnected ||
		!w.provider.Valid(w.account("ann").Access) {
		t.Errorf("Status = %+v, %v", c, err)
	}
	if c, err := s.Confirm(t.Context(), "acme", "ann", "cloud", begun.ID, done.Code); kindOf(err) != tool.NotFound {
		t.Errorf("the code again: %+v, %v", c, err)
	}
	if _, err := s.Opened(t.Context(), Visitor{Open: true, Tenant: "default"}, begun.ID); kindOf(err) != tool.NotFound {
		t.Errorf("a link that was used: %v", err)
	}
}

// TestPhishing: a link that was sent to somebody else connects nothing, because its owner
// does not know the code which that browser shows.
func TestPhishing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1, oauthtest.Behaviour{Life: time.Hour})
	w.register(w.provider.Discovered())
	s := w.services[0]
	begun, err := s.Begin(t.Context(), "acme", "mallory", "cloud", true)
	if err != nil {
		t.Fatal(err)
	}
	target, err := s.Opened(t.Context(), Visitor{}, begun.ID) // in the browser of somebody else
	if err != nil {
		t.Fatal(err)
	}
	page, cookie, err := s.Start(t.Context(), target)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Finish(t.Context(), w.agree(page), Bringer{Cookie: cookie.Value}); err != nil {
		t.Fatal(err)
	}
	last := protocol.Connection{}
	for range maxTries {
		last, _ = s.Confirm(t.Context(), "acme", "mallory", "cloud", begun.ID, "AAAAAAAA")
	}
	if last.Status != protocol.ConnectionDenied || w.account("mallory") != nil {
		t.Errorf("after %d wrong codes the connection is %+v, the account %+v", maxTries, last, w.account("mallory"))
	}
}

// TestDisconnect: tokens are revoked and removed, also those of a refresh that is under way.
func TestDisconnect(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2, oauthtest.Behaviour{Life: time.Hour})
	w.register(w.provider.Fields())
	allow := func() error { return nil }
	if _, found, err := w.services[0].Disconnect(t.Context(), "acme", "ann", "cloud", allow); found || err != nil {
		t.Errorf("Disconnect of nothing = %v, %v", found, err)
	}
	w.connect("ann")
	refused := services.HashOf(w.account("ann").Access)
	var all sync.WaitGroup
	all.Go(func() { w.services[1].Answer(t.Context(), ask("ann", refused)) })
	done, found, err := w.services[0].Disconnect(t.Context(), "acme", "ann", "cloud", allow)
	all.Wait()
	if !found || err != nil || done.Revoked == nil || !*done.Revoked || w.account("ann") != nil || w.provider.Tokens() != 0 {
		t.Errorf("Disconnect = %+v, %v, %v; %d tokens left", done, found, err, w.provider.Tokens())
	}
	w.connect("ann")
	refusal := tool.Fail(tool.PermissionDenied, "no")
	if _, _, err := w.services[0].Disconnect(t.Context(), "acme", "ann", "cloud", func() error { return refusal }); err == nil ||
		w.account("ann") == nil {
		t.Errorf("Disconnect that is not allowed = %v", err)
	}
	fields := w.provider.Fields()
	fields["revocation_url"] = "http://127.0.0.1:1/revoke"
	w.register(fields) // to which the tokens must not be sent
	left, n, err := w.services[0].DisconnectAll(t.Context(), "acme", "ann")
	if err != nil || n != 1 || len(left) != 1 || left[0] != "cloud" || w.account("ann") != nil {
		t.Errorf("DisconnectAll = %v, %d, %v", left, n, err)
	}
}

// TestStrangeLinks: an address that cannot be that of a link is that of none, and reaches no
// store.
func TestStrangeLinks(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1, oauthtest.Behaviour{})
	for _, id := range []string{
		"a-", "a-*", "a->", "a-.>", "a-x.*", "a-x y", "a-\r\nPUB x 1\r\ny", "a-\x00", "a-ü", "a-" + strings.Repeat("x", 5000), "", "c-x",
	} {
		if _, err := w.services[0].Opened(t.Context(), Visitor{}, id); kindOf(err) != tool.NotFound {
			t.Errorf("Opened(%.20q) = %v", id, err)
		}
		if _, err := w.services[0].Status(t.Context(), "acme", "ann", "cloud", id); kindOf(err) != tool.NotFound {
			t.Errorf("Status(%.20q) = %v", id, err)
		}
		if _, err := w.services[0].Confirm(t.Context(), "acme", "ann", "cloud", id, "x"); kindOf(err) != tool.NotFound {
			t.Errorf("Confirm(%.20q) = %v", id, err)
		}
	}
}

// TestClocks: a state that another dispatcher has made is good, although the clocks of the two
// are an hour apart.
func TestClocks(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1, oauthtest.Behaviour{Life: time.Hour})
	w.register(w.provider.Discovered())
	s := w.services[0]
	answer, cookie := w.start(s, "ann")
	a, verifier, revision, err := s.load(t.Context(), stateKey(answer.State))
	if err != nil {
		t.Fatal(err)
	}
	a.Expires = a.Expires.Add(-time.Hour)
	value, err := s.encode(t.Context(), a, verifier)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Bucket.PutAt(t.Context(), stateKey(answer.State), value, revision, flowTime); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Finish(t.Context(), answer, Bringer{Cookie: cookie}); err != nil || w.account("ann") == nil {
		t.Errorf("Finish = %v; the account is %+v", err, w.account("ann"))
	}
}
