package deploytest

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"
	corev1 "k8s.io/api/core/v1"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/identity"
)

// closing is the time that a program needs after its drain: the last spans, the database.
const closing = 10 * time.Second

// load loads the configuration of a container as its program does. Values from Secrets are
// made up.
func (all rendered) load(t *testing.T, p *pods, role config.Role) config.Config {
	t.Helper()
	const inside = "/etc/helve/helve.yaml"
	file := filepath.Join(t.TempDir(), "helve.yaml")
	if err := os.WriteFile(file, []byte(all.setting(t, "helve-config", "helve.yaml")), 0o600); err != nil {
		t.Fatal(err)
	}
	c := &p.Spec.Containers[0]
	args := slices.Clone(c.Args)
	at := slices.Index(args, inside)
	if at < 0 || !mounts(c, inside) {
		t.Fatalf("%s does not read %s: %q", p.owner, inside, args)
	}
	args[at] = file
	flags := pflag.NewFlagSet(c.Name, pflag.ContinueOnError)
	config.Flags(flags, role)
	if err := flags.Parse(args); err != nil {
		t.Fatal(err)
	}
	var env []string
	for _, e := range c.Env {
		value := e.Value
		switch from := e.ValueFrom; {
		case from == nil:
		case from.SecretKeyRef != nil:
			value = "postgres://helve:secret@db.example/helve"
		case from.FieldRef != nil:
			value = p.Labels[strings.TrimSuffix(strings.TrimPrefix(from.FieldRef.FieldPath, "metadata.labels['"), "']")]
		}
		env = append(env, e.Name+"="+value)
	}
	cfg, err := config.Load(config.Source{Env: env, Flags: flags})
	if err != nil {
		t.Fatalf("%s: %v", p.owner, err)
	}
	return cfg
}

// mounts reports whether a container has path in a volume.
func mounts(c *corev1.Container, path string) bool {
	return slices.ContainsFunc(c.VolumeMounts, func(m corev1.VolumeMount) bool {
		return path == m.MountPath || strings.HasPrefix(path, m.MountPath+"/")
	})
}

func grace(p *pods) time.Duration {
	return time.Duration(*p.Spec.TerminationGracePeriodSeconds) * time.Second
}

// TestSettings loads the settings of each program, and compares them with what surrounds it.
func TestSettings(t *testing.T) {
	each(t, func(t *testing.T, all rendered) {
		d := all.part(t, "helve-dispatcher")
		cfg := all.load(t, &d, config.Dispatcher)
		if err := identity.Guard(cfg.HTTP.Addr, cfg.Auth.KeysFile != "" || cfg.Auth.Issuer != ""); err != nil {
			t.Errorf("the dispatcher does not start: %v", err)
		}
		if end := cfg.HTTP.DrainDelay + cfg.HTTP.ShutdownTimeout + closing; grace(&d) < end {
			t.Errorf("the dispatcher is killed after %s, but its drain may take %s", grace(&d), end)
		}
		if beyond := !identity.Loopback(cfg.HTTP.Addr); beyond &&
			cfg.HTTP.DrainDelay < 2*time.Duration(d.Spec.Containers[0].ReadinessProbe.PeriodSeconds)*time.Second {
			t.Errorf("http.drain_delay %s is shorter than two readiness probes", cfg.HTTP.DrainDelay)
		}
		for _, path := range []string{cfg.Auth.KeysFile, cfg.Keys.Dir, cfg.NATS.Context, cfg.Data} {
			if path != "" && !mounts(&d.Spec.Containers[0], path) {
				t.Errorf("the dispatcher has no volume for %s", path)
			}
		}
		s := cfg.Streams
		for name, n := range map[string]int64{
			"results_max_bytes":    int64(s.ResultsMaxBytes),
			"once_max_bytes":       int64(s.OnceMaxBytes),
			"calls_max_bytes":      int64(s.CallsMaxBytes),
			"results_max_messages": int64(s.ResultsMaxMessages),
			"once_max_messages":    int64(s.OnceMaxMessages),
		} {
			if n == 0 {
				t.Errorf("streams.%s is not set: the dispatcher would derive it from its own machine", name)
			}
		}
		if cfg.Callbacks.MaxBytes == 0 || cfg.Callbacks.MaxMessages == 0 {
			t.Error("callbacks.max_bytes or callbacks.max_messages is not set, as above")
		}
		w := all.part(t, "helve-worker")
		wcfg := all.load(t, &w, config.Worker)
		if end := wcfg.Worker.DrainTimeout + closing; grace(&w) < end {
			t.Errorf("a worker is killed after %s, but its drain may take %s", grace(&w), end)
		}
		if pool := w.Labels["helve.dev/pool"]; !slices.Equal(wcfg.Worker.Pools, []string{pool}) {
			t.Errorf("the worker takes calls of %q, its label says %q", wcfg.Worker.Pools, pool)
		}
		if path := wcfg.NATS.Context; path != "" && !mounts(&w.Spec.Containers[0], path) {
			t.Errorf("the worker has no volume for %s", path)
		}
		for _, c := range []config.Config{cfg, wcfg} {
			if c.HTTP.AdminAddr != "0.0.0.0:9090" {
				t.Errorf("probes and metrics use port 9090, http.admin_addr is %s", c.HTTP.AdminAddr)
			}
		}
		all.natsMatches(t, cfg)
	})
}

// natsMatches compares the bounds of streams with the memory of NATS: 160 bytes a message.
func (all rendered) natsMatches(t *testing.T, cfg config.Config) {
	t.Helper()
	n := all.part(t, "helve-nats")
	memory := n.Spec.Containers[0].Resources.Limits.Memory().Value()
	if need := 160 * int64(cfg.Streams.ResultsMaxMessages+cfg.Streams.OnceMaxMessages+cfg.Callbacks.MaxMessages); need > memory/2 {
		t.Errorf("the streams may need %d bytes of memory, more than half of NATS' %d", need, memory)
	}
	replicas := int32(cfg.Durability.Replicas)
	if set := statefulSet(t, all, "helve-nats"); *set.Spec.Replicas < replicas {
		t.Errorf("durability.replicas is %d, NATS has %d servers", replicas, *set.Spec.Replicas)
	}
}
