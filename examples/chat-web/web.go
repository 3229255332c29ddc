package main

import (
	"context"
	"embed"
	"encoding/json"
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

// server handles the requests of all pages.
type server struct {
	ctx   context.Context // the program's: a conversation outlives the request that started it
	data  string
	model client.Model
	dial  func(user string) (*client.Client, error)
	helve *gateway
	hosts []string // by which browsers may reach it

	sessions *sessions

	mu    sync.Mutex
	chats map[string]*conversation // by user
}

// handler serves the pages. It refuses changing requests from another site, and all
// requests under a foreign host name, because neither can come from one of our pages.
func (s *server) handler() http.Handler {
	mux := http.NewServeMux()
	files, _ := fs.Sub(page, "page") // it exists, or this would not compile
	mux.Handle("GET /", http.FileServerFS(files))
	mux.HandleFunc("POST /login", s.login)
	mux.HandleFunc("POST /logout", s.logout)
	mux.HandleFunc("GET /events", s.mine(s.events))
	mux.HandleFunc("POST /say", s.mine(s.say))
	passed := http.StripPrefix("/helve", s.helve.handler(s.mine))
	for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodDelete} {
		mux.Handle(method+" /helve/", passed)
	}
	guarded := http.NewCrossOriginProtection().Handler(mux)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; "+
			"base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
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

// login accepts any name. Your own front end would ask for a password, or use an
// identity provider, and keep the rest unchanged.
func (s *server) login(w http.ResponseWriter, r *http.Request) {
	var body struct{ Name string }
	if !read(w, r, &body) {
		return
	}
	if !namePattern.MatchString(body.Name) {
		http.Error(w, "a name has 1 to 64 letters, digits, _ and -", http.StatusBadRequest)
		return
	}
	token, err := s.sessions.open(body.Name)
	if err != nil {
		http.Error(w, "signing in failed: "+err.Error(), http.StatusInternalServerError)
		return
	}
	// Another site cannot send it, and scripts cannot read it.
	http.SetCookie(w, &http.Cookie{ //nolint:gosec // without TLS there would be no cookie, were it always Secure
		Name: cookieName, Value: token, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: r.TLS != nil,
	})
	w.WriteHeader(http.StatusNoContent)
}

// logout ends the session of this browser, and so the event streams of its pages.
func (s *server) logout(w http.ResponseWriter, r *http.Request) {
	if cookie, err := r.Cookie(cookieName); err == nil {
		if err := s.sessions.close(cookie.Value); err != nil {
			http.Error(w, "signing out failed: "+err.Error(), http.StatusInternalServerError)
			return
		}
	}
	http.SetCookie(w, &http.Cookie{ //nolint:gosec // as the one it ends
		Name: cookieName, Path: "/", MaxAge: -1, HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: r.TLS != nil,
	})
	w.WriteHeader(http.StatusNoContent)
}

// mine returns the conversation of the signed-in person.
func (s *server) mine(then func(w http.ResponseWriter, r *http.Request, c *conversation)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		cookie, err := r.Cookie(cookieName)
		if err != nil {
			cookie = &http.Cookie{}
		}
		user, ok := s.sessions.user(cookie.Value)
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
	file := filepath.Join(s.data, fmt.Sprintf("%x.json", user)) // Ada and ada are two people, even if the file system ignores case
	c, err := open(s.ctx, user, file, helve, s.model)
	if err != nil {
		helve.Close()
		return nil, err
	}
	s.chats[user] = c
	return c, nil
}

// read reads the JSON body of a request; false means that an error was already
// answered.
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
		http.Error(w, "the model is still answering", http.StatusConflict)
	default:
		w.WriteHeader(http.StatusNoContent)
	}
}

// events streams one person's conversation from its beginning.
func (s *server) events(w http.ResponseWriter, r *http.Request, c *conversation) {
	w.Header().Set("Content-Type", "text/event-stream")
	out := http.NewResponseController(w)
	send(w, "person", map[string]string{"name": c.user})
	for next := 0; ; {
		ends := s.sessions.ends()
		if !s.signedIn(r) {
			return
		}
		entries, more := c.since(next)
		next += len(entries)
		for _, e := range entries {
			send(w, "entry", e)
		}
		if out.Flush() != nil {
			return
		}
		select {
		case <-more:
		case <-ends:
		case <-r.Context().Done():
			return
		}
	}
}

// signedIn reports whether the browser of a request is still signed in.
func (s *server) signedIn(r *http.Request) bool {
	cookie, err := r.Cookie(cookieName)
	if err != nil {
		return false
	}
	_, ok := s.sessions.user(cookie.Value)
	return ok
}

func send(w http.ResponseWriter, name string, v any) {
	data, err := json.Marshal(v)
	if err == nil {
		_, _ = fmt.Fprintf(w, "event: %s\ndata: %s\n\n", name, data) // the flush detects a reader that is gone
	}
}
