package main

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"sync"
)

// maxSessions limits the number of sessions; the oldest is signed out first.
const maxSessions = 10_000

// session is a signed-in browser. Only the hash of its cookie is stored.
type session struct {
	Hash string `json:"hash"`
	User string `json:"user"`
}

// sessions holds the signed-in browsers, also across restarts.
type sessions struct {
	file string

	mu    sync.Mutex
	all   []session     // the oldest first
	ended chan struct{} // closed when a session ends
}

func openSessions(file string) (*sessions, error) {
	s := &sessions{file: file, ended: make(chan struct{})}
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &s.all)
	}
	return s, err
}

// open signs a person in and returns the cookie's value.
func (s *sessions) open(user string) (token string, err error) {
	token = rand.Text()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = append(s.all, session{hashed(token), user})
	if len(s.all) > maxSessions {
		s.all = s.all[len(s.all)-maxSessions:]
	}
	return token, s.save()
}

// user returns the person who is signed in with a cookie.
func (s *sessions) user(token string) (string, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	hash := hashed(token)
	for _, one := range s.all {
		if one.Hash == hash {
			return one.User, true
		}
	}
	return "", false
}

// close signs a browser out.
func (s *sessions) close(token string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	hash, kept := hashed(token), []session{}
	for _, one := range s.all {
		if one.Hash != hash {
			kept = append(kept, one)
		}
	}
	s.all = kept
	close(s.ended)
	s.ended = make(chan struct{})
	return s.save()
}

// ends returns a channel that is closed when the next session ends.
func (s *sessions) ends() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ended
}

func (s *sessions) save() error {
	data, err := json.Marshal(s.all)
	if err != nil {
		return err
	}
	if err := os.WriteFile(s.file+".new", data, 0o600); err != nil {
		return err
	}
	return os.Rename(s.file+".new", s.file)
}

func hashed(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}
