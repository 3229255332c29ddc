package deploytest

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/compose-spec/compose-go/v2/types"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"sigs.k8s.io/yaml"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/identity"
)

const composed = "../compose"

// project loads compose.yaml as Compose does, with its schema.
func project(t *testing.T) *types.Project {
	t.Helper()
	options, err := cli.NewProjectOptions([]string{filepath.Join(composed, "compose.yaml")},
		cli.WithEnv([]string{"HELVE_VERSION=v0"}), cli.WithResolvedPaths(true))
	if err != nil {
		t.Fatal(err)
	}
	p, err := options.LoadProject(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestCompose loads the file strictly, and the settings of each program as the program does.
func TestCompose(t *testing.T) {
	p := project(t)
	for _, name := range []string{"nats", "postgres", "migrate", "dispatcher", "worker", "prometheus", "grafana"} {
		if _, ok := p.Services[name]; !ok {
			t.Errorf("there is no service %s", name)
		}
	}
	if n := p.Services["worker"].Deploy.Replicas; n == nil || *n != 2 {
		t.Errorf("workers: %v, want 2", n)
	}
	for name, role := range map[string]config.Role{"dispatcher": config.Dispatcher, "worker": config.Worker} {
		s := p.Services[name]
		var env []string
		for k, v := range s.Environment {
			env = append(env, k+"="+*v)
		}
		cfg, err := config.Load(config.Source{Env: env})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		end := cfg.Worker.DrainTimeout + closing
		if role == config.Dispatcher {
			const delay = 5 * time.Second // the default beyond loopback
			end = delay + cfg.HTTP.ShutdownTimeout + closing
			if err := identity.Guard(cfg.HTTP.Addr, cfg.Auth.KeysFile != ""); err != nil {
				t.Errorf("the dispatcher does not start: %v", err)
			}
		}
		if s.StopGracePeriod == nil || time.Duration(*s.StopGracePeriod) < end {
			t.Errorf("%s is killed after %v, but its drain may take %s", name, s.StopGracePeriod, end)
		}
		if got := s.HealthCheck.Test; !slices.Contains(got, "http://127.0.0.1:9090/readyz") || got[0] != "CMD" ||
			cfg.HTTP.AdminAddr != "0.0.0.0:9090" {
			t.Errorf("%s: the health check is %q, http.admin_addr %s; the image has no shell", name, got, cfg.HTTP.AdminAddr)
		}
	}
	opts, err := server.ProcessConfigFile(filepath.Join(composed, "nats.conf"))
	if err != nil {
		t.Fatal(err)
	}
	if opts.StoreDir != "/data" ||
		!slices.ContainsFunc(p.Services["nats"].Volumes, func(v types.ServiceVolumeConfig) bool { return v.Target == opts.StoreDir }) {
		t.Errorf("NATS stores in %s, which is no volume", opts.StoreDir)
	}
	disk := opts.JetStreamMaxStore
	opts.StoreDir = t.TempDir()
	conn, err := nats.Connect(start(t, opts).ClientURL())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	wantBounded(t, conn, disk)
}

// TestComposeWatches checks that Prometheus loads rules that exist, and scrapes services.
func TestComposeWatches(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(composed, "prometheus.yml"))
	if err != nil {
		t.Fatal(err)
	}
	var c struct {
		RuleFiles     []string `json:"rule_files"`
		ScrapeConfigs []struct {
			DNS []struct {
				Names []string
				Port  int
			} `json:"dns_sd_configs"`
		} `json:"scrape_configs"`
	}
	if command := project(t).Services["prometheus"].Command; !slices.Contains(command, "--enable-feature=exemplar-storage") {
		t.Errorf("Prometheus is started with %q and drops exemplars, which lead from a slow call to its trace", command)
	}
	if err := yaml.Unmarshal(text, &c); err != nil || len(c.RuleFiles) == 0 || len(c.ScrapeConfigs) == 0 {
		t.Fatalf("%v: %+v", err, c)
	}
	for _, file := range c.RuleFiles {
		if _, err := os.Stat(filepath.Join("../prometheus", filepath.Base(file))); err != nil {
			t.Error(err)
		}
	}
	services := project(t).Services
	for _, s := range c.ScrapeConfigs {
		if _, ok := services[s.DNS[0].Names[0]]; !ok || s.DNS[0].Port != 9090 {
			t.Errorf("Prometheus scrapes %v, which is no service with port 9090", s.DNS[0])
		}
	}
}

// TestComposeIsClosed checks that no secret is in the file, and what containers may do.
func TestComposeIsClosed(t *testing.T) {
	p := project(t)
	setup, err := os.ReadFile(filepath.Join(composed, "setup.sh"))
	if err != nil {
		t.Fatal(err)
	}
	for name := range p.Secrets {
		if !strings.Contains(string(setup), "secrets/"+name) {
			t.Errorf("setup.sh does not make the secret %s", name)
		}
	}
	for _, c := range p.Configs {
		if _, err := os.Stat(c.File); err != nil {
			t.Error(err)
		}
	}
	for name, s := range p.Services {
		for _, v := range s.Volumes {
			if _, err := os.Stat(v.Source); v.Type == types.VolumeTypeBind && err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		for k, v := range s.Environment {
			if strings.Contains(k, "PASSWORD") && !strings.HasSuffix(k, "_FILE") ||
				v != nil && strings.Contains(*v, "@postgres") && !strings.HasPrefix(*v, "postgres://helve@") {
				t.Errorf("%s has a secret in %s", name, k)
			}
		}
		for _, port := range s.Ports {
			if port.HostIP != "127.0.0.1" {
				t.Errorf("%s publishes port %s beyond loopback", name, port.Published)
			}
		}
		if !strings.HasPrefix(s.Image, "helve/") {
			continue
		}
		if !s.ReadOnly || s.User != "65532:65532" || !slices.Contains(s.CapDrop, "ALL") ||
			!slices.Contains(s.SecurityOpt, "no-new-privileges:true") {
			t.Errorf("%s: read-only %t, user %s, dropped %v, %v", name, s.ReadOnly, s.User, s.CapDrop, s.SecurityOpt)
		}
	}
	for _, name := range []string{"bus", "database"} {
		if !p.Networks[name].Internal {
			t.Errorf("the network %s is not internal", name)
		}
	}
	if _, ok := p.Services["grafana"].Networks["bus"]; ok {
		t.Error("Grafana reaches NATS, which has no credentials here")
	}
}
