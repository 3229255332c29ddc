package natsauth

import (
	"bytes"
	_ "embed"
	"fmt"
	"path/filepath"
	"slices"
	"text/template"

	"github.com/nats-io/nkeys"

	"github.com/helve-dev/helve/internal/identity"
)

// Server is a NATS server for a Helve, with one credential for each role.
type Server struct {
	// Prefix is what all subjects begin with, "helve.v1" by default.
	Prefix string
	// Listen is HOST:PORT, URL how it is reached, and Store the directory of
	// JetStream's files.
	Listen, URL, Store string
	// Tenants are those who get an account, and Pools what workers serve.
	Tenants, Pools []string
}

//go:embed server.conf.tmpl
var confText string

var conf = template.Must(template.New("").Parse(confText))

// answerTime is how long the server keeps the way back of a request: longer
// than any wait_ms, or the answer would find nobody.
const answerTime = "10m"

// runTime is the same for what a process is asked: the longest that a tool may run.
const runTime = "1h"

// credential is a user with the public half of its key, as the template reads it.
type credential struct {
	User

	Key string
	May Permissions
}

// tenant is an account as the template reads it.
type tenant struct {
	Account           string
	Services, Streams []string
	// Lent is what HELVE may ask of the account.
	Lent  string
	Users []credential
}

// Check returns what is wrong with the names the server is made of.
func (s Server) Check() error {
	if err := checkPrefix(s.Prefix); err != nil {
		return err
	}
	for i, name := range s.Tenants {
		if slices.Contains(s.Tenants[:i], name) {
			return fmt.Errorf("tenant %.80s is there twice", name)
		}
	}
	for _, u := range s.Users() {
		if _, err := u.withDefaults(); err != nil {
			return err
		}
	}
	return nil
}

// services are what a tenant's account may ask of HELVE, or tell it.
func (s Server) services(tenant string) []string {
	return under(s.Prefix, tenant, "api.>", "progress.*.*")
}

// lent is what HELVE may ask of a tenant's account: that its processes run their tools.
func (s Server) lent(tenant string) string { return under(s.Prefix, tenant, "remote.>")[0] }

// streams are what a tenant's account may hear of HELVE.
func (s Server) streams(tenant string) []string {
	return under(s.Prefix, tenant, "event.>", "consent.request.*", "consent.decision.*", "audit.>", "cancel.*")
}

// Config returns the server's configuration. PublicKey is asked for the public
// NKey of each user.
func (s Server) Config(publicKey func(User) (string, error)) ([]byte, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	var page struct {
		Server

		Threshold, Longest string
		Own                []credential
		Tenants            []tenant
	}
	page.Server, page.Threshold, page.Longest = s, answerTime, runTime
	for _, name := range s.Tenants {
		page.Tenants = append(page.Tenants, tenant{Account: tenantAccount(name), Services: s.services(name), Streams: s.streams(name), Lent: s.lent(name)})
	}
	for _, u := range s.Users() {
		c, err := u.credential(s.Prefix, publicKey)
		if err != nil {
			return nil, err
		}
		if c.Role.own() {
			page.Own = append(page.Own, c)
			continue
		}
		for i := range page.Tenants {
			if page.Tenants[i].Account == c.Account() {
				page.Tenants[i].Users = append(page.Tenants[i].Users, c)
			}
		}
	}
	return render("server", page)
}

// Users are the server's credentials: one dispatcher's, one worker's, and for
// each tenant one of each role.
func (s Server) Users() []User {
	users := []User{{Role: Dispatcher}, {Role: Worker, Pools: s.Pools}}
	for _, name := range s.Tenants {
		for _, role := range identity.Roles() {
			users = append(users, User{Role: Role(role), Tenant: name})
		}
	}
	for i, u := range users {
		users[i], _ = u.withDefaults() // what is wrong is said where it is used
	}
	return users
}

// Block returns the entry of a user for the users of its account.
func (u User) Block(prefix, publicKey string) ([]byte, error) {
	c, err := u.credential(prefix, func(User) (string, error) { return publicKey, nil })
	if err != nil {
		return nil, err
	}
	return render("user", c)
}

func (u User) credential(prefix string, publicKey func(User) (string, error)) (c credential, err error) {
	if c.User, err = u.withDefaults(); err != nil {
		return c, err
	}
	if c.May, err = c.Permissions(prefix); err != nil {
		return c, err
	}
	if c.Key, err = publicKey(c.User); err != nil {
		return c, err
	}
	if !nkeys.IsValidPublicUserKey(c.Key) {
		return c, fmt.Errorf("%.80q is not a user's public NKey; those begin with U", c.Key)
	}
	return c, nil
}

func render(name string, data any) ([]byte, error) {
	var b bytes.Buffer
	if err := conf.ExecuteTemplate(&b, name, data); err != nil {
		return nil, fmt.Errorf("nats configuration: %w", err)
	}
	return b.Bytes(), nil
}

// ConfFile is what Write calls the server's configuration.
const ConfFile = "nats-server.conf"

// Write writes into dir the server's configuration, and for each credential its
// key and a NATS context that names the key, the inbox prefix and the server.
// Keys that are there already are used again, so that tenants can be added. A
// relative Store lies in dir.
func (s Server) Write(dir string) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	if !filepath.IsAbs(s.Store) {
		s.Store = filepath.Join(dir, s.Store)
	}
	keys := keyDir(filepath.Join(dir, "keys"))
	text, err := s.Config(keys.public)
	if err != nil {
		return err
	}
	for _, u := range s.Users() {
		if err := u.writeContext(dir, s.URL, keys.file(u)); err != nil {
			return err
		}
	}
	return replace(filepath.Join(dir, ConfFile), text)
}
