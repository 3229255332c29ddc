package people

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/accounts/oauth/oauthtest"
	"github.com/helve-dev/helve/internal/test/e2e/system"
	"github.com/helve-dev/helve/tool"
)

// cloud is the name of the provider in these tests.
const cloud = "acmecloud"

// cloudResult is the result of the tools of the tests.
type cloudResult struct {
	Token string `json:"token"`
	Base  string `json:"base"`
	Other string `json:"other"`
}

type cloudArgs struct {
	N int `json:"n,omitempty" doc:"Makes calls different."`
	// Refused is a token that the API has refused.
	Refused bool `json:"refused,omitempty" doc:"True if the API refuses the token once."`
}

// useCloud returns the result of a tool that uses the account.
func useCloud(ctx context.Context, call *tool.Call, a cloudArgs) (cloudResult, error) {
	entries, err := call.Secrets.Entries(ctx, cloud)
	if err != nil {
		return cloudResult{}, err
	}
	if len(entries) == 0 {
		return cloudResult{}, tool.Fail(tool.NotConfigured, "no entry")
	}
	e := entries[0]
	if a.Refused {
		next, ok, err := tool.RefreshEntry(ctx, call.Secrets, cloud, e)
		if err != nil {
			return cloudResult{}, err
		}
		if ok {
			e = next
		}
	}
	return cloudResult{e.Data[tool.AccessToken], e.Data["base_url"], e.Data["client_secret"] + e.Data["refresh_token"]}, nil
}

// cloudTools returns tools that use the account: cloud_read changes nothing and finds out in its
// run, cloud_write looks before it changes something and needs an approval, cloud_late looks
// after its fence, cloud_outer makes a call of cloud_read.
func cloudTools() *tool.Set {
	set := tool.NewSet("Cloud", "cloud")
	kinds := []tool.Kind{tool.NotConfigured, tool.Overloaded, tool.NetworkError, tool.ExecutionError}
	spec := tool.Spec[cloudArgs, cloudResult]{
		Description: "Use an account of the cloud.", Risk: tool.Low, Timeout: time.Minute, Pool: "default", Needs: tool.NeedSecrets,
		Errors: kinds, Run: useCloud,
	}
	read, write, late := spec, spec, spec
	read.Name, read.Mutates = "cloud_read", false
	late.Name, late.Mutates = "cloud_late", true
	write.Name, write.Mutates, write.Risk = "cloud_write", true, tool.Medium
	write.Check = func(ctx context.Context, call *tool.Call, _ cloudArgs) error {
		_, err := call.Secrets.Entries(ctx, cloud)
		return err
	}
	outer := spec
	outer.Name, outer.Needs = "cloud_outer", tool.NeedTools
	outer.Run = func(ctx context.Context, call *tool.Call, _ cloudArgs) (cloudResult, error) {
		_, err := call.Tools.Call(ctx, "cloud_read", json.RawMessage("{}"))
		return cloudResult{}, err
	}
	tool.Add(set, outer)
	tool.Add(set, read)
	tool.Add(set, write)
	tool.Add(set, late)
	return set
}

// launchCloud starts a system with so many more workers that have the tools.
func launchCloud(t *testing.T, p system.Plan, workers int) *system.System {
	t.Helper()
	s := system.Launch(t, p)
	for range workers {
		s.AddOwnWorker(t, cloudTools(), nil)
	}
	return s
}

// register sets the registration at a provider for the tenant.
func register(t *testing.T, d system.Door, name, body string) {
	t.Helper()
	if r := d.Ask(t, "default", "services.set", map[string]string{"service": name, "label": "default"}, body); r.Status != 200 ||
		strings.Contains(string(r.Body), oauthtest.ClientSecret) {
		t.Fatalf("services.set = %d %s", r.Status, r.Body)
	}
}

// call makes a call of a person, and returns its element.
func call(t *testing.T, d system.Door, user, body string) system.Element {
	t.Helper()
	return system.Execute(t, d, "default", system.CallAs(user, body)).Results[0]
}

// waiting makes a call that waits for an account, and returns its consent. A worker may
// receive the registration a moment later than the call, and a dispatcher the tools.
func waiting(t *testing.T, d system.Door, user, body string) (system.Element, request) {
	t.Helper()
	var e system.Element
	system.Eventually(t, "the worker of "+body+" has the registration", func() bool {
		e = call(t, d, user, body)
		return e.ErrorType != "not_configured" && e.ErrorType != "tool_not_found"
	})
	if e.Status != "pending" || e.State != "awaiting_consent" {
		t.Fatalf("the call was answered %v, want that it awaits consent", e)
	}
	return e, consentOf(t, d, user, e.ConsentID)
}

// request is a consent of kind account.
type request struct {
	ID         string `json:"consent_id"`
	Status     string `json:"status"`
	Kind       string `json:"kind"`
	Service    string `json:"service"`
	ConnectURL string `json:"connect_url"`
	Reason     string `json:"reason"`
}

func consentOf(t *testing.T, d system.Door, user, id string) request {
	t.Helper()
	r := d.Ask(t, "default", "consent.get", map[string]string{"consent_id": id, "user": user}, "")
	if r.Status != 200 {
		t.Fatalf("consent.get = %d %s", r.Status, r.Body)
	}
	return system.Decode[request](t, r)
}

// done waits for the result of a call.
func done(t *testing.T, d system.Door, callID string) system.Element {
	t.Helper()
	var e system.Element
	system.Eventually(t, "the call "+callID+" is done", func() bool {
		r := d.Ask(t, "default", "calls.get", map[string]string{"call_id": callID}, "")
		if r.Status != 200 {
			return false
		}
		e = system.Decode[system.Element](t, r)
		return e.State == "done"
	})
	return e
}

// used returns the result of a call of the tools.
func used(t *testing.T, e system.Element) cloudResult {
	t.Helper()
	var r cloudResult
	if e.Status != "success" || json.Unmarshal(e.Result, &r) != nil {
		t.Fatalf("the call ended with %v", e)
	}
	return r
}

// browser is a browser, with a key if it is one of a front end that sends it.
type browser struct {
	*http.Client

	home, key string
}

// newBrowser returns a browser that sends a key to a system, if there is one.
func newBrowser(t *testing.T, s *system.System, key string) *browser {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	b := &browser{home: strings.TrimPrefix(s.URLs[0], "http://"), key: key}
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	b.Client = &http.Client{Jar: jar, Transport: keyed{b, transport}}
	return b
}

type keyed struct {
	*browser

	next http.RoundTripper
}

func (k keyed) RoundTrip(r *http.Request) (*http.Response, error) {
	if k.key != "" && r.URL.Path != "/authorize" {
		r = r.Clone(r.Context())
		r.Header.Set("Authorization", "Bearer "+k.key)
	}
	return k.next.RoundTrip(r)
}

// open opens a page, and returns the status and the address at which it ends.
func (b *browser) open(t *testing.T, address string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(system.Context(t), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept", "text/html")
	resp, err := b.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	return resp.StatusCode, resp.Request.URL.String()
}

// read opens a page and returns its text.
func (b *browser) read(t *testing.T, address string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(system.Context(t), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept", "text/html")
	resp, err := b.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(text)
}

// step opens a page without following where it leads, and returns that address.
func (b *browser) step(t *testing.T, address string) (int, string) {
	t.Helper()
	client := *b.Client
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	one := &browser{Client: &client}
	req, err := http.NewRequestWithContext(system.Context(t), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := one.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	return resp.StatusCode, resp.Header.Get("Location")
}
