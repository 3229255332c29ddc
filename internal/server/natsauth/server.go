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

// Server describes a NATS server for Helve, with one credential for each role.
type Server struct {
	// Prefix is the prefix of all subjects, "helve.v1" by default.
	Prefix string
	// Listen is HOST:PORT, URL the server's address for clients, and Store the
	// directory of JetStream's files.
	Listen, URL, Store string
	// MaxDisk bounds the bytes that the streams hold on the disks of all servers together, 0
	// for no bound. The alert for a full disk measures by it.
	MaxDisk int64
	// Tenants lists the tenants, which get an account each, and Pools the pools of the
	// workers.
	Tenants, Pools []string
	// Apart lists pools whose workers get an account of their own.
	Apart []string
	// Desktops lists the persons with a desktop worker, each TENANT/USER, and
	// DesktopTools the tools that such a worker may register.
	Desktops, DesktopTools []string
	// Affinity gives workers lanes of their own (worker.affinity: user).
	Affinity bool
	// Persons lists persons with a credential of the role user that acts for them
	// alone, each TENANT/USER.
	Persons []string
}

//go:embed server.conf.tmpl
var confText string

var conf = template.Must(template.New("").Parse(confText))

// answerTime is the time for which the server keeps the reply route of a request:
// longer than any wait_ms, otherwise the reply would be lost.
const answerTime = "10m"

// runTime is the same for requests to processes that run tools: the longest time a tool
// may run.
const runTime = "1h"

// credential is a user with its public key, in the template.
type credential struct {
	User

	Key string
	May Permissions
}

// tenant is a tenant's account in the template.
type tenant struct {
	Account           string
	Services, Streams []string
	// Lent lists what HELVE may request from the account.
	Lent  string
	Users []credential
	// Persons lists accounts that reach the tenant as one person.
	Persons []personal
}

// Check returns the first problem of the server's names.
func (s Server) Check() error {
	if s.MaxDisk < 0 {
		return fmt.Errorf("the bound of the disk is %d bytes, want 0 for none, or more", s.MaxDisk)
	}
	if err := checkPrefix(s.Prefix); err != nil {
		return err
	}
	for i, name := range s.Tenants {
		if slices.Contains(s.Tenants[:i], name) {
			return fmt.Errorf("tenant %.80s is there twice", name)
		}
	}
	for i, name := range s.Pools {
		if slices.Contains(s.Pools[:i], name) {
			return fmt.Errorf("pool %.80s is there twice", name)
		}
	}
	for _, u := range s.Users() {
		if _, err := u.withDefaults(); err != nil {
			return err
		}
	}
	if err := s.checkApart(); err != nil {
		return err
	}
	return s.checkPersons()
}

// services returns what a tenant's account may request from HELVE, or publish to it.
func (s Server) services(tenant string) []string {
	return under(s.Prefix, tenant, "api.>", "progress.*.*")
}

// lent returns what HELVE may request from a tenant's account: calls of the tools that
// its processes run.
func (s Server) lent(tenant string) string { return under(s.Prefix, tenant, "remote.>")[0] }

// streams returns the subjects of HELVE to which a tenant's account may subscribe.
func (s Server) streams(tenant string) []string {
	return under(s.Prefix, tenant, "event.>", "consent.request.*", "consent.decision.*", "audit.>", "cancel.*")
}

// Config returns the server's configuration. It calls publicKey for the public NKey of
// each user.
func (s Server) Config(publicKey func(User) (string, error)) ([]byte, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	var page struct {
		Server

		Threshold, Longest string
		Own                []credential
		Tenants            []tenant
		Accounts           []apartAccount
		Lent, Heard        []lent
	}
	page.Server, page.Threshold, page.Longest = s, answerTime, runTime
	for _, name := range s.Tenants {
		page.Tenants = append(page.Tenants, tenant{
			Account:  tenantAccount(name),
			Services: s.services(name),
			Streams:  s.streams(name),
			Lent:     s.lent(name),
		})
	}
	var away []credential
	for _, u := range s.Users() {
		c, err := u.credential(s.Prefix, publicKey)
		if err != nil {
			return nil, err
		}
		if c.Apart {
			away = append(away, c)
			continue
		}
		if c.Role.own() {
			page.Own = append(page.Own, c)
			continue
		}
		for i := range page.Tenants {
			if c.Person != "" && page.Tenants[i].Account == tenantAccount(c.Tenant) {
				page.Tenants[i].Persons = append(page.Tenants[i].Persons, s.personal(c))
			}
			if page.Tenants[i].Account == c.Account() {
				page.Tenants[i].Users = append(page.Tenants[i].Users, c)
			}
		}
	}
	page.Accounts, page.Lent, page.Heard = s.apart(away)
	return render("server", page)
}

// Users returns the server's credentials: one for the dispatcher, one for the workers
// of each pool, and for each tenant one of each role.
func (s Server) Users() []User {
	users := []User{{Role: Dispatcher}}
	for _, pool := range s.pools() {
		u := PoolWorker(pool)
		u.Affinity, u.Apart = s.Affinity, slices.Contains(s.Apart, pool)
		users = append(users, u)
	}
	users = append(users, s.apartUsers()...)
	for _, name := range s.Tenants {
		for _, role := range identity.Roles() {
			users = append(users, User{Role: Role(role), Tenant: name})
		}
	}
	users = append(users, s.persons()...)
	for i, u := range users {
		users[i], _ = u.withDefaults() // the use of the value reports the problem
	}
	return users
}

const defaultPool = "default"

func (s Server) pools() []string {
	if len(s.Pools) == 0 {
		return []string{defaultPool}
	}
	return s.Pools
}

// PoolWorker returns the credential of the workers of one pool. For the pool "default"
// it is called worker, for another pool worker-POOL.
func PoolWorker(pool string) User {
	u := User{Role: Worker, Name: string(Worker), Pools: []string{pool}}
	if pool != defaultPool {
		u.Name += "-" + pool
	}
	return u
}

// Block returns the entry of a user for the users of its account; for a person's
// credential it returns the account itself, and the exports it needs.
func (u User) Block(prefix, publicKey string) ([]byte, error) {
	c, err := u.credential(prefix, func(User) (string, error) { return publicKey, nil })
	if err != nil {
		return nil, err
	}
	if c.Person != "" {
		return render("alone", personalOf(prefix, c))
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

// ConfFile is the file name of the server's configuration in Write.
const ConfFile = "nats-server.conf"

// Write writes into dir the server's configuration, and for each credential its key and
// a NATS context that names the key, the inbox prefix and the server. It reuses
// existing keys, so that tenants can be added. A relative Store is in dir.
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
