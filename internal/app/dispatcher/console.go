package dispatcher

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"strings"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/accounts/oauth"
	"github.com/helve-dev/helve/internal/audit/trail"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/internal/identity/secretfile"
	"github.com/helve-dev/helve/internal/ports/netguard"
	"github.com/helve-dev/helve/internal/server/api"
	"github.com/helve-dev/helve/internal/server/changes"
	"github.com/helve-dev/helve/internal/server/console"
	"github.com/helve-dev/helve/internal/server/httpapi"
	"github.com/helve-dev/helve/internal/server/signin"
	"github.com/helve-dev/helve/internal/telemetry"
	"github.com/helve-dev/helve/internal/x/version"
)

// openConsole serves the pages of the console, and signs people in where callers need a
// credential.
func openConsole(
	life context.Context, cfg config.Config, kit *telemetry.Kit, t trail.Writer, web *httpapi.Options, svc *api.Service,
) error {
	svc.About.Version = version.String()
	if !cfg.HTTP.Console {
		return nil
	}
	pages, err := console.New()
	if err != nil {
		return err
	}
	web.Console = pages.Before
	if !web.Auth.On() {
		return nil
	}
	issuer, err := issuerOf(life, cfg)
	if err != nil {
		return err
	}
	bucket, err := t.Queue.Conn.Bucket(life, streams.BucketSessions)
	if err != nil {
		return err
	}
	web.SignIn = signin.New(signin.Options{
		Auth: web.Auth, Bucket: bucket, Idle: cfg.Auth.SessionIdle, Life: cfg.Auth.SessionLife, Issuer: issuer, Log: kit.Log,
		Record: func(ctx context.Context, by identity.Principal, e signin.Event) error {
			return changes.Session(ctx, t, by, e)
		},
	})
	svc.About.SignIn = web.SignIn.Ways()
	return nil
}

// issuerOf returns the issuer at which people sign in, nil for none.
func issuerOf(life context.Context, cfg config.Config) (*signin.Issuer, error) {
	a := cfg.Auth
	if a.ClientID == "" {
		return nil, nil
	}
	if cfg.HTTP.PublicURL == "" {
		return nil, errors.New("auth.client_id needs http.public_url, the address to which the issuer sends browsers back")
	}
	secret, err := readSecret(a.ClientSecretFile)
	if err != nil {
		return nil, fmt.Errorf("auth.client_secret_file: %w", err)
	}
	at, err := url.Parse(a.Issuer)
	if err != nil {
		return nil, errors.New("auth.issuer is not an address")
	}
	// The operator has named the issuer, so it may have a private address.
	guard, err := netguard.New(netguard.Options{Allow: append([]string{at.Host}, cfg.AllowHosts...), HeaderTimeout: providerTime})
	if err != nil {
		return nil, fmt.Errorf("auth.issuer: %w", err)
	}
	context.AfterFunc(life, guard.Close)
	return &signin.Issuer{
		URL: a.Issuer, ClientID: a.ClientID, Secret: secret, Scopes: a.ClientScopes,
		Redirect: strings.TrimSuffix(cfg.HTTP.PublicURL, "/") + "/login/callback",
		HTTP:     oauth.Client(guard.DoOnce, providerTime),
	}, nil
}

// maxSecret bounds the file of a secret, in bytes.
const maxSecret = 4 << 10

// readSecret returns the text of a file that nobody else may read; empty for no file.
func readSecret(path string) (string, error) {
	if path == "" {
		return "", nil
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err == nil {
		err = secretfile.Check(info)
	}
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(io.LimitReader(f, maxSecret+1))
	secret := strings.TrimSpace(string(text))
	if err == nil && (secret == "" || len(text) > maxSecret) {
		err = fmt.Errorf("%s must hold a secret of at most %d bytes", path, maxSecret)
	}
	return secret, err
}

// hostOf returns the host name of an address, which people's browsers use; none if the
// address is empty.
func hostOf(address string) []string {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" {
		return nil
	}
	return []string{u.Hostname()}
}
