package docker

import (
	"cmp"
	"crypto/rand"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/api/types/mount"
	"github.com/moby/moby/client"

	"github.com/helve-dev/helve/tool"
)

// Limits of a container.
const (
	memory    = 512 << 20
	cpus      = 1e9 // in billionths of one
	processes = 100
	openFiles = 1024
	shared    = 16 << 20 // of /dev/shm

	defaultTimeout = 30 * time.Second
	longestTimeout = 10 * time.Minute

	nobody = "65534:65534"
)

// Programs may run from /work but not from /tmp. Files in either count as memory of the
// container.
const (
	workOptions = "rw,exec,nosuid,nodev,size=256m,mode=1777"
	tmpOptions  = "rw,noexec,nosuid,nodev,size=128m,mode=1777"
)

func ulimits() []*container.Ulimit {
	return []*container.Ulimit{{Name: "nofile", Soft: openFiles, Hard: openFiles}, {Name: "core"}}
}

// workspaceDir is the mount point of a workspace in a container.
const workspaceDir = "/workspace"

// job is a checked run.
type job struct {
	tool.Container

	tenant  string
	caller  string // the user of the call
	name    string // of the container
	image   string // its real name
	stdin   []byte // the files, then the input of the command
	user    string
	dir     string // of the workspace, on this machine
	network string
}

// changesWorkspace reports whether the command can leave files behind.
func (j *job) changesWorkspace() bool { return j.Workspace && !j.ReadOnly }

// plan checks a run and builds its job.
func (r *runner) plan(c tool.Container) (*job, error) {
	if err := r.permit(c); err != nil {
		return nil, err
	}
	j := &job{
		Container: c,
		tenant:    r.tenant,
		caller:    r.user,
		name:      "helve-" + strings.ToLower(rand.Text()),
		image:     r.images[c.Image],
		stdin:     c.Stdin,
		user:      nobody,
		network:   "none",
	}
	switch {
	case j.image == "":
		return nil, tool.Fail(tool.NotConfigured, "No Docker image is configured for %[1]s: the operator adds '%[1]s=IMAGE' to docker.images",
			c.Image)
	case len(c.Command) == 0:
		return nil, tool.Fail(tool.ValidationError, "There is no command to run.")
	}
	j.Timeout = min(cmp.Or(max(c.Timeout, 0), defaultTimeout), longestTimeout)
	if c.Network {
		j.network = r.options.Network
	}
	var archive []byte
	var err error
	if len(c.Files) > 0 {
		if archive, err = pack(c.Files); err != nil {
			return nil, err
		}
		j.stdin = slices.Concat(archive, c.Stdin)
	}
	at := "/work"
	if c.Workspace {
		at = workspaceDir
	}
	j.Command = entering(len(archive), at, j.Timeout+grace, c.Command)
	if !c.Workspace {
		return j, nil
	}
	if j.user, err = r.worker(); err != nil {
		return nil, err
	}
	j.dir, err = r.options.Dir(r.tenant, r.user)
	return j, err
}

// worker returns the user of a container with a workspace, since no other user may
// enter the directory. It is never root.
func (r *runner) worker() (string, error) {
	if r.options.User != "" {
		return r.options.User, nil
	}
	if uid := os.Getuid(); uid > 0 {
		return fmt.Sprintf("%d:%d", uid, os.Getgid()), nil
	}
	return "", tool.Fail(tool.NotConfigured, "The worker runs as root, so no container may see its workspaces: "+
		"the operator starts it as another user, for instance with 'runuser -u helve -- worker'")
}

// request returns the engine's request for the container.
func (j *job) request(now time.Time) client.ContainerCreateOptions {
	yes, most := true, int64(processes)
	var mounts []mount.Mount
	if j.Workspace {
		mounts = []mount.Mount{{Type: mount.TypeBind, Source: j.dir, Target: workspaceDir, ReadOnly: j.ReadOnly}}
	}
	return client.ContainerCreateOptions{
		Name: j.name,
		Config: &container.Config{
			Image: j.image,
			// An entry point of the image's own would come before the command.
			Entrypoint:      j.Command[:1],
			Cmd:             j.Command[1:],
			Env:             append([]string{"HOME=/tmp", "LANG=C.UTF-8"}, j.Env...),
			User:            j.user,
			WorkingDir:      "/", // the command enters another one
			Hostname:        "sandbox",
			NetworkDisabled: !j.Network,
			OpenStdin:       len(j.stdin) > 0,
			StdinOnce:       true,
			AttachStdin:     len(j.stdin) > 0,
			AttachStdout:    true,
			AttachStderr:    true,
			Healthcheck:     &container.HealthConfig{Test: []string{"NONE"}},
			Labels:          j.labels(now),
		},
		HostConfig: &container.HostConfig{
			ReadonlyRootfs: true,
			CapDrop:        []string{"ALL"},
			SecurityOpt:    []string{"no-new-privileges:true"},
			NetworkMode:    container.NetworkMode(j.network),
			IpcMode:        container.IPCModePrivate,
			CgroupnsMode:   container.CgroupnsModePrivate,
			Tmpfs:          map[string]string{"/work": workOptions, "/tmp": tmpOptions},
			ShmSize:        shared,
			Mounts:         mounts,
			Init:           &yes, // reaps orphaned processes, and makes signals work
			RestartPolicy:  container.RestartPolicy{Name: container.RestartPolicyDisabled},
			// The output comes over the attached stream; a log of it would fill the
			// disk.
			LogConfig: container.LogConfig{Type: "none"},
			Resources: container.Resources{
				Memory:     memory,
				MemorySwap: memory, // of both together, so there is no swap
				NanoCPUs:   cpus,
				PidsLimit:  &most,
				Ulimits:    ulimits(),
			},
		},
	}
}

// Labels of a container: that it belongs to Helve, its call, and the time until which
// it may exist.
const (
	labelOurs     = "dev.helve.container"
	labelTenant   = "dev.helve.tenant"
	labelUser     = "dev.helve.user"
	labelDeadline = "dev.helve.deadline"
)

const (
	// grace is the time after its timeout when a command ends by itself, if no worker
	// has killed it.
	grace = 10 * time.Second
	// slack is the time after its timeout from which a run counts as left behind.
	slack = time.Minute
)

func (j *job) labels(now time.Time) map[string]string {
	deadline := strconv.FormatInt(now.Add(j.Timeout+slack).Unix(), 10)
	return map[string]string{labelOurs: "true", labelTenant: j.tenant, labelUser: j.caller, labelDeadline: deadline}
}
