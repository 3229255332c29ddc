package oauthtest

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
)

// authorize is the page at which a person agrees.
func (p *Provider) authorize(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.note(r)
	q := r.Form
	back, err := url.Parse(q.Get("redirect_uri"))
	if err != nil || q.Get("client_id") != ClientID || q.Get("response_type") != "code" || q.Get("code_challenge_method") != "S256" ||
		q.Get("state") == "" {
		http.Error(w, "the request is not one of Helve", http.StatusBadRequest)
		return
	}
	answer := url.Values{"state": {q.Get("state")}}
	if !p.NoIssuer {
		answer.Set("iss", p.issuer())
	}
	if p.Refuse != "" {
		answer.Set("error", p.Refuse)
	} else {
		code := random("code-")
		p.codes[code] = grant{q.Get("code_challenge"), q.Get("redirect_uri"), q.Get("scope"), q.Get("nonce")}
		answer.Set("code", code)
	}
	back.RawQuery = answer.Encode()
	http.Redirect(w, r, back.String(), http.StatusFound)
}

// known reports whether a request is of Helve, as the provider wants it to show.
func (p *Provider) known(r *http.Request) bool {
	id, secret, basic := r.BasicAuth()
	if basic {
		return !p.Post && id == ClientID && secret == url.QueryEscape(ClientSecret)
	}
	return !p.Basic && r.Form.Get("client_id") == ClientID && r.Form.Get("client_secret") == ClientSecret
}

func (p *Provider) token(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.note(r)
	if p.Hang {
		p.mu.Unlock()
		select {
		case <-r.Context().Done():
		case <-p.hang:
		}
		p.mu.Lock()
		return
	}
	if p.Answer != nil && p.Answer(w, r) {
		return
	}
	if !p.known(r) {
		refuse(w, http.StatusUnauthorized, "invalid_client")
		return
	}
	scope, ok := "", false
	var id string
	switch r.Form.Get("grant_type") {
	case "authorization_code":
		var g grant
		if g, ok = p.redeem(r.Form); ok {
			scope, id = g.scope, p.idToken(g.nonce)
		}
	case "refresh_token":
		ok = p.renew(r.Form.Get("refresh_token"))
	case "urn:ietf:params:oauth:grant-type:device_code":
		if len(p.Codes) > 0 {
			code := p.Codes[0]
			p.Codes = p.Codes[1:]
			refuse(w, http.StatusBadRequest, code)
			return
		}
		scope, ok = p.devices[r.Form.Get("device_code")]
		delete(p.devices, r.Form.Get("device_code"))
	}
	if !ok {
		refuse(w, http.StatusBadRequest, "invalid_grant")
		return
	}
	answer := p.issue(r.Form.Get("refresh_token"), scope)
	if id != "" {
		answer["id_token"] = id
	}
	reply(w, http.StatusOK, answer)
}

// redeem uses up a code.
func (p *Provider) redeem(form url.Values) (g grant, ok bool) {
	g, there := p.codes[form.Get("code")]
	delete(p.codes, form.Get("code"))
	sum := sha256.Sum256([]byte(form.Get("code_verifier")))
	fits := base64.RawURLEncoding.EncodeToString(sum[:]) == g.challenge && len(form.Get("code_verifier")) >= 43
	return g, there && fits && form.Get("redirect_uri") == g.redirect
}

// renew uses up a refresh token. A token that was used before ends all of them, unless the
// provider has a grace for that.
func (p *Provider) renew(token string) bool {
	switch {
	case p.refresh[token]:
		if !p.Keep {
			delete(p.refresh, token)
			p.used[token] = true
		}
		return true
	case p.used[token] && p.Grace:
		return true
	case p.used[token]:
		clear(p.refresh)
		clear(p.access)
	}
	return false
}

func (p *Provider) issue(old, scope string) map[string]any {
	access := random("at-")
	p.access[access] = true
	answer := map[string]any{"access_token": access, "token_type": "Bearer"}
	if scope != "" && !p.NoScope {
		answer["scope"] = scope
	}
	if p.Life > 0 {
		answer["expires_in"] = int(p.Life.Seconds())
	}
	if p.Lifetime != "" {
		answer["expires_in"] = json.RawMessage(p.Lifetime)
	}
	if !p.NoRefresh && (old == "" || !p.Keep) {
		refresh := random("rt-")
		p.refresh[refresh] = true
		answer["refresh_token"] = refresh
	}
	return answer
}

func (p *Provider) revoke(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.note(r)
	if !p.known(r) {
		refuse(w, http.StatusUnauthorized, "invalid_client")
		return
	}
	token := r.Form.Get("token")
	delete(p.access, token)
	if p.refresh[token] {
		clear(p.refresh)
		clear(p.access)
	}
	w.WriteHeader(http.StatusOK)
}

func (p *Provider) device(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.note(r)
	code := random("device-")
	p.devices[code] = r.Form.Get("scope")
	answer := map[string]any{
		"device_code":      code,
		"user_code":        cmp.Or(p.UserCode, "WDJB-MJHT"),
		"verification_uri": cmp.Or(p.EnterURL, p.URL+"/enter"),
		"expires_in":       600,
	}
	if p.Interval != 0 {
		answer["interval"] = p.Interval
	}
	reply(w, http.StatusOK, answer)
}

// userinfo is the API of the provider.
func (p *Provider) userinfo(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.note(r)
	if token, bearer := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); !bearer || !p.access[token] {
		refuse(w, http.StatusUnauthorized, "invalid_token")
		return
	}
	reply(w, http.StatusOK, map[string]string{"sub": "the person"})
}
