package main

import (
	"context"
	"crypto/rand"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/helve-dev/helve/client"
)

//go:embed page
var page embed.FS

// server is the requests of all pages.
type server struct {
	ctx   context.Context // the program's: a conversation outlives the request that began it
	data  string
	model client.Model
	dial  func(user string) (*client.Client, error)
	hosts []string // by which browsers may reach it

	mu       sync.Mutex
	sessions map[string]string        // users, by their cookie
	chats    map[string]*conversation // by user
}

// handler answers pages. What changes something is refused where another site asks for
// it, and everything where a foreign name leads here: neither can be a page of ours.
func (s *server) handler() http.Handler {
	mux := http.NewServeMux()
	files, _ := fs.Sub(page, "page") // it is there, or this would not compile
	mux.Handle("GET /", http.FileServerFS(files))
	mux.HandleFunc("POST /login", s.login)
	mux.HandleFunc("GET /events", s.mine(s.events))
	mux.HandleFunc("POST /say", s.mine(s.say))
	mux.HandleFunc("POST /decide", s.mine(s.decide))
	guarded := http.NewCrossOriginProtection().Handler(mux)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cache-Control", "no-store")
		if !slices.Contains(s.hosts, r.Host) {
			http.Error(w, "this page has another address; see --host", http.StatusMisdirectedRequest)
			return
		}
		guarded.ServeHTTP(w, r)
	})
}

const cookieName = "chat"

var namePattern = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// login takes anybody's word for a name. A front end of your own asks for a password, or
// an identity provider, and the rest stays as it is.
func (s *server) login(w http.ResponseWriter, r *http.Request) {
	var body struct{ Name string }
	if !read(w, r, &body) {
		return
	}
	if !namePattern.MatchString(body.Name) {
		http.Error(w, "a name has 1 to 64 letters, digits, _ and -", http.StatusBadRequest)
		return
	}
	token := rand.Text()
	s.mu.Lock()
	s.sessions[token] = body.Name
	s.mu.Unlock()
	// No page of another site can send it, and no script read it.
	http.SetCookie(w, &http.Cookie{ //nolint:gosec // without TLS there would be no cookie, were it always Secure
		Name: cookieName, Value: token, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: r.TLS != nil,
	})
	w.WriteHeader(http.StatusNoContent)
}

// mine finds the conversation of who asks.
func (s *server) mine(then func(w http.ResponseWriter, r *http.Request, c *conversation)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		cookie, err := r.Cookie(cookieName)
		if err != nil {
			cookie = &http.Cookie{}
		}
		s.mu.Lock()
		user, ok := s.sessions[cookie.Value]
		s.mu.Unlock()
		if !ok {
			http.Error(w, "log in first", http.StatusUnauthorized)
			return
		}
		c, err := s.chat(user)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		then(w, r, c)
	}
}

func (s *server) chat(user string) (*conversation, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.chats[user]; c != nil {
		return c, nil
	}
	helve, err := s.dial(user)
	if err != nil {
		return nil, err
	}
	file := filepath.Join(s.data, fmt.Sprintf("%x.json", user)) // Ada and ada are two, also where files are not
	c, err := open(s.ctx, user, file, helve, s.model)
	if err != nil {
		helve.Close()
		return nil, err
	}
	s.chats[user] = c
	return c, nil
}

// read reads the JSON body of a request; false says that it was answered already.
func read(w http.ResponseWriter, r *http.Request, into any) bool {
	if kind, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";"); kind != "application/json" {
		http.Error(w, "send application/json", http.StatusUnsupportedMediaType)
		return false
	}
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 64<<10)).Decode(into); err != nil {
		http.Error(w, "the body cannot be read: "+err.Error(), http.StatusBadRequest)
		return false
	}
	return true
}

func (s *server) say(w http.ResponseWriter, r *http.Request, c *conversation) {
	var body struct{ Text string }
	switch {
	case !read(w, r, &body):
	case strings.TrimSpace(body.Text) == "":
		http.Error(w, "say something", http.StatusBadRequest)
	case !c.say(s.ctx, body.Text):
		http.Error(w, "the model still answers", http.StatusConflict)
	default:
		w.WriteHeader(http.StatusNoContent)
	}
}

// decide grants or denies what this person was asked. Another's request is not there,
// whether or not there is one.
func (s *server) decide(w http.ResponseWriter, r *http.Request, c *conversation) {
	var body struct {
		Consent string
		Grant   bool
	}
	if !read(w, r, &body) {
		return
	}
	helve := c.loop.Client
	asked, err := helve.Consent(r.Context(), body.Consent)
	if err == nil && asked.User != c.user {
		err = &client.RequestError{Type: client.NotFound}
	}
	if err == nil {
		_, err = helve.Decide(r.Context(), asked.ID, client.Decision{Grant: body.Grant})
	}
	failed, _ := errors.AsType[*client.RequestError](err)
	switch {
	case err == nil:
		w.WriteHeader(http.StatusNoContent)
	case failed != nil && failed.Type == client.Conflict:
		http.Error(w, failed.Message, http.StatusConflict)
	case failed != nil && slices.Contains([]string{client.NotFound, client.Forbidden, client.BadRequest}, failed.Type):
		http.Error(w, "no such request", http.StatusNotFound)
	default:
		http.Error(w, err.Error(), http.StatusBadGateway)
	}
}

// events streams one person's conversation from its beginning, and what waits for them.
func (s *server) events(w http.ResponseWriter, r *http.Request, c *conversation) {
	ctx, stop := context.WithCancel(r.Context())
	defer stop()
	asked := make(chan client.Consent)
	go func() {
		err := c.loop.Client.WatchConsents(ctx, c.user, func(q client.Consent) error {
			select {
			case asked <- q:
			case <-ctx.Done():
			}
			return nil
		})
		if err != nil { // it tried again where that could help
			c.tell(entry{Kind: "note", Text: "What waits for you is not shown: " + err.Error()})
		}
	}()
	w.Header().Set("Content-Type", "text/event-stream")
	out := http.NewResponseController(w)
	for next := 0; ; {
		entries, more := c.since(next)
		next += len(entries)
		for _, e := range entries {
			send(w, "entry", e)
		}
		if out.Flush() != nil {
			return
		}
		select {
		case q := <-asked:
			if q.User == c.user { // it was asked for no other
				send(w, "consent", map[string]any{"id": q.ID, "call": q.Call.CallID, "tool": q.Tool, "risk": q.Risk, "reason": q.Reason, "preview": q.Preview, "warnings": q.Warnings, "expires": q.ExpiresAt})
			}
		case <-more:
		case <-ctx.Done():
			return
		}
	}
}

func send(w http.ResponseWriter, name string, v any) {
	data, err := json.Marshal(v)
	if err == nil {
		_, _ = fmt.Fprintf(w, "event: %s\ndata: %s\n\n", name, data) // a reader who has gone is found by the flush
	}
}
