package webapi

import (
	"context"
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"

	"github.com/helve-dev/helve/internal/lib/outward"
	"github.com/helve-dev/helve/tool"
)

// account is the entry of the config center with which a request of json_api is sent.
type account struct {
	client *outward.Client
}

// openAccount returns the account of the service that the arguments name, for requests to
// u. The model never sees the credentials, and they are sent below the base_url only.
func openAccount(ctx context.Context, call *tool.Call, args *jsonAPIArgs, u *url.URL) (*account, error) {
	if strings.ContainsFunc(args.Service, func(r rune) bool { return r <= ' ' || r == 0x7f }) {
		return nil, tool.Fail(tool.ValidationError, "service: %q is not the name of a service", args.Service)
	}
	if args.BearerToken != "" {
		return nil, tool.Fail(tool.ValidationError, "service and bearerToken are both given; send the credentials of one of them")
	}
	for name := range args.Headers {
		if strings.EqualFold(name, "Authorization") {
			return nil, tool.Fail(tool.ValidationError, "service and an Authorization header are both given; send the credentials of one of them")
		}
	}
	client, err := outward.Open(ctx, call, outward.Service{
		Name: args.Service, Use: "to call this API", Set: "--type http base_url=https://… --stdin api_key", Sign: signAPI,
	})
	if err != nil {
		return nil, err
	}
	if !client.Below(u) {
		return nil, tool.Fail(tool.PermissionDenied,
			"the address is not below the base_url of the service %q (%s), and its credentials are sent nowhere else; "+
				"correct the address, or leave service out",
			args.Service, client.Base())
	}
	return &account{client}, nil
}

// signAPI adds the credentials of an entry: a token or key as bearer token, or user and
// password.
func signAPI(req *http.Request, data map[string]string) {
	for _, name := range []string{"access_token", "api_key", "token"} {
		if value := strings.TrimSpace(data[name]); value != "" {
			req.Header.Set("Authorization", "Bearer "+value)
			return
		}
	}
	if data["user"] != "" || data["password"] != "" {
		req.SetBasicAuth(data["user"], data["password"])
	}
}

// hide removes the credentials of the account from a text.
func (a *account) hide(text string) string {
	if user, password := a.client.Field("user"), a.client.Field("password"); password != "" {
		text = strings.ReplaceAll(text, base64.StdEncoding.EncodeToString([]byte(user+":"+password)), "…")
	}
	return a.client.Hide(text)
}

// do sends a request with the credentials of the account, and follows redirects below its
// address.
func (a *account) do(port tool.HTTP, req *http.Request) (*http.Response, error) {
	req = req.WithContext(a.client.Reach(req.Context()))
	a.client.Sign(req)
	direct, ok := port.(interface {
		DoOnce(req *http.Request) (*http.Response, error)
	})
	if !ok {
		return port.Do(req)
	}
	for range maxRedirects {
		resp, err := direct.DoOnce(req)
		if err != nil || !redirects(resp, req) {
			return resp, err
		}
		_ = resp.Body.Close() // another answer follows
		to, err := resp.Location()
		if err != nil {
			return nil, tool.Fail(tool.NetworkError, "the server redirected to an address that cannot be followed").Because(err)
		}
		if !a.client.Below(to) {
			return nil, tool.Fail(tool.PermissionDenied,
				"the server redirected to %s, which is not below the base_url of the service; its credentials are sent nowhere else", to.Redacted())
		}
		next := req.Clone(req.Context())
		next.URL, next.Host = to, ""
		req = next
	}
	return nil, tool.Fail(tool.NetworkError, "the server redirected more than %d times", maxRedirects)
}

// maxRedirects limits the redirects of one request.
const maxRedirects = 10

// redirects reports whether an answer leads a request without a body elsewhere. The redirect
// of any other request is its answer.
func redirects(resp *http.Response, req *http.Request) bool {
	switch resp.StatusCode {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return req.Method == http.MethodGet && resp.Header.Get("Location") != ""
	default:
		return false
	}
}
