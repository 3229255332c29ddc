package oauth

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/helve-dev/helve/tool"
)

// Metadata is the document that a provider publishes about itself.
type Metadata struct {
	Issuer        string   `json:"issuer"`
	Authorization string   `json:"authorization_endpoint"`
	Token         string   `json:"token_endpoint"`
	Revocation    string   `json:"revocation_endpoint"`
	Device        string   `json:"device_authorization_endpoint"`
	UserInfo      string   `json:"userinfo_endpoint"`
	AuthMethods   []string `json:"token_endpoint_auth_methods_supported"`
	AnswersIssuer bool     `json:"authorization_response_iss_parameter_supported"`
	// Challenges are the methods of PKCE; empty if the provider does not say which.
	Challenges []string `json:"code_challenge_methods_supported"`
}

// maxAnswer bounds an answer, in bytes.
const maxAnswer = 1 << 20

// Discover returns the metadata of an issuer (RFC 8414), or what it publishes for OpenID
// Connect.
func Discover(ctx context.Context, client *http.Client, issuer string) (Metadata, error) {
	u, err := url.Parse(issuer)
	if err != nil || !Private(issuer) || u.RawQuery != "" || u.Fragment != "" {
		return Metadata{}, tool.Fail(tool.NotConfigured,
			"the issuer of the service must be an https address without a query; an admin sets it with helve config set")
	}
	path := strings.TrimSuffix(u.EscapedPath(), "/")
	for _, at := range []string{"/.well-known/oauth-authorization-server" + path, path + "/.well-known/openid-configuration"} {
		m, found, err := read(ctx, client, u.Scheme+"://"+u.Host+at)
		if err != nil {
			return Metadata{}, err
		}
		if found {
			return m, m.check(issuer)
		}
	}
	return Metadata{}, tool.Fail(tool.NotConfigured,
		"%s publishes no metadata; the admin sets authorization_url and token_url instead of issuer, with helve config set", u.Host)
}

// read returns the metadata at an address. It is not found if the answer is another
// document, as some servers have for every path.
func read(ctx context.Context, client *http.Client, address string) (m Metadata, found bool, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return m, false, tool.Fail(tool.NotConfigured, "the issuer of the service cannot be used; an admin sets it with helve config set")
	}
	req.Header.Set("Accept", "application/json")
	resp, err := client.Do(req)
	if err != nil {
		e := tool.AsError(err)
		return m, false, tool.Fail(e.Kind, "the metadata of %s could not be read: %s", req.URL.Host, e.Msg)
	}
	defer resp.Body.Close()
	switch {
	case resp.StatusCode >= http.StatusInternalServerError || resp.StatusCode == http.StatusTooManyRequests:
		return m, false, tool.Fail(tool.NetworkError, "%s did not answer with its metadata (%d); try again later", req.URL.Host, resp.StatusCode)
	case resp.StatusCode != http.StatusOK:
		return m, false, nil
	}
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return m, false, tool.Fail(tool.NetworkError, "the metadata of %s could not be read", req.URL.Host)
	}
	if json.Unmarshal(text, &m) != nil || m.Issuer == "" {
		return Metadata{}, false, nil
	}
	return m, true, nil
}

// check refuses metadata of another issuer, and addresses that may not be used.
func (m Metadata) check(issuer string) error {
	if m.Issuer != issuer {
		return tool.Fail(tool.PermissionDenied,
			"the metadata is of the issuer %.200q, and not of %.200q as the service has it; the admin sets issuer exactly as the provider writes it",
			m.Issuer, issuer)
	}
	for name, address := range map[string]string{
		"authorization_endpoint": m.Authorization, "token_endpoint": m.Token, "revocation_endpoint": m.Revocation,
		"device_authorization_endpoint": m.Device, "userinfo_endpoint": m.UserInfo,
	} {
		if address != "" && (!Private(address) || strings.HasPrefix(issuer, "https:") && !strings.HasPrefix(address, "https:")) {
			return tool.Fail(tool.PermissionDenied, "the metadata of %.200s has a %s that is not https", issuer, name)
		}
	}
	page, err := url.Parse(m.Authorization)
	if err != nil {
		return tool.Fail(tool.PermissionDenied, "the metadata of %.200s has an authorization_endpoint that is no address", issuer)
	}
	if name := Reserved(page.Query()); name != "" {
		return tool.Fail(tool.PermissionDenied,
			"the metadata of %.200s has an authorization_endpoint with the parameter %s, which Helve sets itself", issuer, name)
	}
	if m.Authorization == "" || m.Token == "" {
		return tool.Fail(tool.NotConfigured,
			"the metadata of %.200s names no authorization_endpoint or no token_endpoint; the admin sets authorization_url and token_url with "+
				"helve config set",
			issuer)
	}
	if len(m.Challenges) > 0 && !slices.Contains(m.Challenges, "S256") {
		return tool.Fail(tool.NotConfigured,
			"%.200s does not support PKCE with S256, without which Helve connects no account; helve config set takes another issuer", issuer)
	}
	return nil
}

// TokenAuth returns the way of authentication that the provider names; empty if it names
// none.
func (m Metadata) TokenAuth() string {
	switch {
	case slices.Contains(m.AuthMethods, "client_secret_basic"):
		return Basic
	case slices.Contains(m.AuthMethods, "client_secret_post"):
		return Post
	}
	return ""
}
