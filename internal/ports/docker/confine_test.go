package docker

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/api/types/mount"

	"github.com/helve-dev/helve/internal/ports/docker/dockertest"
	"github.com/helve-dev/helve/tool"
)

// asked runs a container and returns how the engine was asked for it.
func asked(t *testing.T, o Options, c tool.Container) container.CreateRequest {
	t.Helper()
	e := dockertest.Start(t, &dockertest.Engine{})
	containers, d := on(t, e, o)
	if _, err := containers.Run(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	wantNothingLeft(t, e, d)
	return e.Made()[0].Request
}

// TestConfinement holds every container to the whole of what keeps it in.
func TestConfinement(t *testing.T) {
	got := asked(t, Options{Network: "bridge"}, tool.Container{
		Image:   "python",
		Command: []string{"python3", "x"},
		Env:     []string{"A=b"},
		Timeout: time.Second,
	})
	deadline, err := strconv.ParseInt(got.Labels[labelDeadline], 10, 64)
	if until := time.Until(time.Unix(deadline, 0)); err != nil || until < 30*time.Second || until > 2*time.Minute {
		t.Errorf("label %s is %q, want a time in about a minute", labelDeadline, got.Labels[labelDeadline])
	}
	delete(got.Labels, labelDeadline)
	yes, most := true, int64(100)
	started := entering(0, "/work", time.Second+grace, []string{"python3", "x"})
	want := container.CreateRequest{
		Config: &container.Config{
			Image: "python:3.13-slim", Entrypoint: started[:1], Cmd: started[1:], Env: []string{"HOME=/tmp", "LANG=C.UTF-8", "A=b"},
			User: "65534:65534", WorkingDir: "/", Hostname: "sandbox", NetworkDisabled: true,
			StdinOnce: true, AttachStdout: true, AttachStderr: true,
			Healthcheck: &container.HealthConfig{Test: []string{"NONE"}},
			Labels:      map[string]string{labelOurs: "true", labelTenant: "acme", labelUser: "u1"},
		},
		HostConfig: &container.HostConfig{
			ReadonlyRootfs: true, CapDrop: []string{"ALL"}, SecurityOpt: []string{"no-new-privileges:true"},
			NetworkMode: "none", IpcMode: "private", CgroupnsMode: "private", ShmSize: 16 << 20, Init: &yes,
			Tmpfs: map[string]string{
				"/work": "rw,exec,nosuid,nodev,size=256m,mode=1777",
				"/tmp":  "rw,noexec,nosuid,nodev,size=128m,mode=1777",
			},
			RestartPolicy: container.RestartPolicy{Name: "no"},
			LogConfig:     container.LogConfig{Type: "none"},
			Resources: container.Resources{
				Memory: 512 << 20, MemorySwap: 512 << 20, NanoCPUs: 1e9, PidsLimit: &most,
				Ulimits: []*container.Ulimit{{Name: "nofile", Soft: 1024, Hard: 1024}, {Name: "core"}},
			},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the request for a container (-want +got):\n%s", diff)
	}
}

func TestNetwork(t *testing.T) {
	got := asked(t, Options{Network: "egress"}, tool.Container{Image: "node", Command: []string{"npm"}, Network: true})
	if got.HostConfig.NetworkMode != "egress" || got.NetworkDisabled {
		t.Errorf("network %q, disabled %v, want the operator's", got.HostConfig.NetworkMode, got.NetworkDisabled)
	}
	e := dockertest.Start(t, &dockertest.Engine{})
	for _, tt := range []struct {
		network string
		within  tool.Scopes
		c       tool.Container
		kind    tool.Kind
		message string
	}{
		{"", tool.Scopes{}, tool.Container{Network: true}, tool.NotConfigured, "No network is configured"},
		{"egress", tool.Scopes{Hosts: []string{"registry.npmjs.org"}}, tool.Container{Network: true}, tool.PermissionDenied, "cannot be limited"},
		{"", tool.Scopes{Paths: []string{"notes/**"}}, tool.Container{Workspace: true}, tool.PathNotAllowed, "only parts of it"},
		{"", tool.Scopes{Apps: []string{"firefox"}}, tool.Container{}, tool.PermissionDenied, "docker"},
		{"", tool.Scopes{}, tool.Container{}, tool.ValidationError, "no command"},
	} {
		containers, _ := on(t, e, Options{Network: tt.network},
			tool.Scopes{Paths: []string{"workspace"}, Hosts: []string{"*"}, Apps: []string{"docker"}}, tt.within)
		tt.c.Image = "node"
		_, err := containers.Run(t.Context(), tt.c)
		wantKind(t, err, tt.kind, tt.message)
	}
	if made := e.Made(); len(made) > 0 {
		t.Errorf("%d containers were made for refused calls", len(made))
	}
}

func TestWorkspace(t *testing.T) {
	root := t.TempDir()
	dir := func(tenant, user string) (string, error) { return filepath.Join(root, tenant, user), nil }
	got := asked(t, Options{Dir: dir, User: "1000:1000"}, tool.Container{
		Image:     "node",
		Command:   []string{"npm"},
		Workspace: true,
		ReadOnly:  true,
	})
	want := []mount.Mount{{Type: "bind", Source: filepath.Join(root, "acme", "u1"), Target: "/workspace", ReadOnly: true}}
	if diff := cmp.Diff(want, got.HostConfig.Mounts); diff != "" || !slices.Contains(got.Cmd, "/workspace") || got.User != "1000:1000" {
		t.Errorf("workspace as %s with %q, mounts (-want +got):\n%s", got.User, got.Cmd, diff)
	}
	// Without a configured user it is the worker's own, but never root.
	e := dockertest.Start(t, &dockertest.Engine{})
	containers, _ := on(t, e, Options{Dir: dir})
	_, err := containers.Run(t.Context(), tool.Container{Image: "node", Command: []string{"npm"}, Workspace: true})
	if os.Getuid() == 0 {
		wantKind(t, err, tool.NotConfigured, "runs as root")
	} else if user := e.Made()[0].Request.User; err != nil || user != strconv.Itoa(os.Getuid())+":"+strconv.Itoa(os.Getgid()) {
		t.Errorf("workspace as %s, %v, want the worker's own user", user, err)
	}
	for _, user := range []string{"0:0", "root", "1000", "-1:5", "1000:1000:1"} {
		if _, err := New(Options{User: user}); err == nil {
			t.Errorf("New with the user %q succeeded", user)
		}
	}
}

func TestTimeoutIsClamped(t *testing.T) {
	for given, want := range map[time.Duration]time.Duration{
		0: defaultTimeout, -time.Second: defaultTimeout, time.Second: time.Second, time.Hour: longestTimeout,
	} {
		r := &runner{Docker: &Docker{images: DefaultImages()}}
		j, err := r.plan(tool.Container{Image: "node", Command: []string{"node"}, Timeout: given})
		if err != nil || j.Timeout != want {
			t.Errorf("timeout %v became %v, %v, want %v", given, j.Timeout, err, want)
		}
	}
}
