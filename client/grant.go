package client

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"github.com/helve-dev/helve/tool"
)

// Grant is a remembered decision: what a user allows, or with Deny refuses,
// without being asked.
type Grant struct {
	ID     string `json:"grant_id"`
	Tenant string `json:"tenant"`
	User   string `json:"user"`
	// Permission or Tool, one of them, is what it is for.
	Permission string `json:"permission,omitzero"`
	Tool       string `json:"tool,omitzero"`
	// Conversation is set for a grant of one session.
	Conversation string       `json:"conversation,omitzero"`
	Deny         bool         `json:"deny,omitzero"`
	Scopes       *tool.Scopes `json:"scopes,omitzero"`
	// By is who decided, ConsentID what they were asked.
	By        string    `json:"by"`
	At        time.Time `json:"granted_at"`
	ConsentID string    `json:"consent_id,omitzero"`
}

// Grants returns the grants of a user, or with an empty name all that the
// caller may see.
func (c *Client) Grants(ctx context.Context, user string) ([]Grant, error) {
	var told struct {
		Grants []Grant `json:"grants"`
	}
	body, err := c.ask(ctx, list("grants.list", "/v1/grants", given(map[string]string{"user": user})))
	if err != nil {
		return nil, err
	}
	return told.Grants, decode(body, &told)
}

// RevokeGrant ends a grant, as the user of the client's [Context]; one that is
// not there is a [*RequestError] of type [NotFound].
func (c *Client) RevokeGrant(ctx context.Context, id string) error {
	if !callIDPattern.MatchString(id) {
		return misused("grant_id %.140q must have 1 to 128 letters, digits, underscores and hyphens", id)
	}
	op := operation{
		name: "grants.revoke", fields: given(map[string]string{"grant_id": id, "by": c.who.User}),
		method: http.MethodDelete, path: "/v1/grants/" + id,
	}
	if c.who.User != "" {
		op.path += "?by=" + url.QueryEscape(c.who.User)
	}
	_, err := c.ask(ctx, op)
	return err
}
