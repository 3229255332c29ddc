package main

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"

	"github.com/helve-dev/helve/client"
)

// asked returns a request to this person. A request to another person is answered as not
// found.
func (c *conversation) asked(ctx context.Context, id string) (client.Consent, error) {
	q, err := c.loop.Client.Consent(ctx, id)
	if err == nil && q.User != c.user {
		err = &client.RequestError{Type: client.NotFound}
	}
	return q, err
}

// consent answers with a request, or with the person's answer to it.
func consent(w http.ResponseWriter, r *http.Request, c *conversation) {
	q, err := c.asked(r.Context(), r.URL.Query().Get("id"))
	reply(w, q, err)
}

// decide grants or denies a request to this person.
func decide(w http.ResponseWriter, r *http.Request, c *conversation) {
	var body struct {
		Consent  string
		Grant    bool
		Remember string
		NeverAsk bool
		Comment  string
		Answer   json.RawMessage
	}
	if !read(w, r, &body) {
		return
	}
	q, err := c.asked(r.Context(), body.Consent)
	if err == nil {
		_, err = c.loop.Client.Decide(r.Context(), q.ID, client.Decision{
			Grant: body.Grant, Remember: client.Remember(body.Remember), NeverAsk: body.NeverAsk, Comment: body.Comment, Answer: body.Answer,
		})
	}
	failed, _ := errors.AsType[*client.RequestError](err)
	if failed != nil && failed.Type == client.BadRequest && q.Kind == client.ConsentQuestion {
		http.Error(w, failed.Message, http.StatusBadRequest) // the error describes a valid answer
		return
	}
	reply(w, nil, err)
}

// grants answers with the answers of this person that are remembered.
func grants(w http.ResponseWriter, r *http.Request, c *conversation) {
	all, err := c.remembered(r.Context())
	reply(w, map[string]any{"grants": all}, err)
}

// forget revokes a remembered answer of this person.
func forget(w http.ResponseWriter, r *http.Request, c *conversation) {
	var body struct{ Grant string }
	if !read(w, r, &body) {
		return
	}
	all, err := c.remembered(r.Context())
	if err == nil && !slices.ContainsFunc(all, func(g client.Grant) bool { return g.ID == body.Grant }) {
		err = &client.RequestError{Type: client.NotFound}
	}
	if err == nil {
		err = c.loop.Client.RevokeGrant(r.Context(), body.Grant)
	}
	reply(w, nil, err)
}

func (c *conversation) remembered(ctx context.Context) ([]client.Grant, error) {
	all, err := c.loop.Client.Grants(ctx, c.user)
	return slices.DeleteFunc(all, func(g client.Grant) bool { return g.User != c.user }), err
}

// call answers with the arguments of a call of this conversation.
func call(w http.ResponseWriter, r *http.Request, c *conversation) {
	id := r.URL.Query().Get("id")
	if !c.has(id) {
		reply(w, nil, &client.RequestError{Type: client.NotFound})
		return
	}
	args, err := c.loop.Client.Arguments(r.Context(), id)
	reply(w, map[string]any{"arguments": args}, err)
}

// toolOf answers with the description of a tool.
func toolOf(w http.ResponseWriter, r *http.Request, c *conversation) {
	def, err := c.loop.Client.Tool(r.Context(), r.URL.Query().Get("name"))
	reply(w, map[string]any{"name": def.Name, "description": def.Description, "kind": def.Kind}, err)
}

// reply answers with v, or with the failure of Helve. What a person may not see or do is
// not there for them.
func reply(w http.ResponseWriter, v any, err error) {
	var body []byte
	if err == nil && v != nil {
		body, err = json.Marshal(v)
	}
	failed, _ := errors.AsType[*client.RequestError](err)
	switch {
	case err == nil && v == nil:
		w.WriteHeader(http.StatusNoContent)
	case err == nil:
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(body) // the reader is gone if it fails
	case failed != nil && failed.Type == client.Conflict:
		http.Error(w, failed.Message, http.StatusConflict)
	case failed != nil && slices.Contains([]string{client.NotFound, client.Forbidden, client.BadRequest}, failed.Type):
		http.Error(w, "there is no such thing", http.StatusNotFound)
	default:
		http.Error(w, err.Error(), http.StatusBadGateway)
	}
}
