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

// The bounds of a container.
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

// Programs may run from /work but not from /tmp. What is written to either counts
// as memory of the container.
const (
	workOptions = "rw,exec,nosuid,nodev,size=256m,mode=1777"
	tmpOptions  = "rw,noexec,nosuid,nodev,size=128m,mode=1777"
)

// job is a run that is ready to be made a container.
type job struct {
	tool.Container

	name    string // of the container
	image   string // its real name
	stdin   []byte // the files, then what the command reads
	user    string
	dir     string // of the workspace, on this machine
	network string
}

// plan checks what is asked for and names what it takes.
func (r *runner) plan(c tool.Container) (*job, error) {
	if err := r.permit(c); err != nil {
		return nil, err
	}
	j := &job{Container: c, name: "helve-" + strings.ToLower(rand.Text()), image: r.images[c.Image], stdin: c.Stdin, user: nobody, network: "none"}
	switch {
	case j.image == "":
		return nil, tool.Fail(tool.NotConfigured, "No Docker image is configured for %s: the operator must name one that has it", c.Image)
	case len(c.Command) == 0:
		return nil, tool.Fail(tool.ValidationError, "There is no command to run.")
	}
	j.Timeout = min(cmp.Or(max(c.Timeout, 0), defaultTimeout), longestTimeout)
	if c.Network {
		j.network = r.options.Network
	}
	if len(c.Files) > 0 {
		archive, err := pack(c.Files)
		if err != nil {
			return nil, err
		}
		j.Command = unpacking(len(archive), c.Command)
		j.stdin = slices.Concat(archive, c.Stdin)
	}
	if !c.Workspace {
		return j, nil
	}
	var err error
	if j.user, err = r.worker(); err != nil {
		return nil, err
	}
	j.dir, err = r.options.Dir(r.tenant, r.user)
	return j, err
}

// worker is who a container with a workspace runs as: nobody else may enter the
// directory. Root it never is.
func (r *runner) worker() (string, error) {
	if r.options.User != "" {
		return r.options.User, nil
	}
	if uid := os.Getuid(); uid > 0 {
		return fmt.Sprintf("%d:%d", uid, os.Getgid()), nil
	}
	return "", tool.Fail(tool.NotConfigured, "The worker runs as root, so no container may see its workspaces: the operator must run it as another user, or name a user for containers")
}

// request is the container as the engine is asked for it.
func (j *job) request(now time.Time) client.ContainerCreateOptions {
	yes, most := true, int64(processes)
	at := "/work"
	var mounts []mount.Mount
	if j.Workspace {
		at = "/workspace"
		mounts = []mount.Mount{{Type: mount.TypeBind, Source: j.dir, Target: at, ReadOnly: j.ReadOnly}}
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
			WorkingDir:      at,
			Hostname:        "sandbox",
			NetworkDisabled: !j.Network,
			OpenStdin:       len(j.stdin) > 0,
			StdinOnce:       true,
			AttachStdin:     len(j.stdin) > 0,
			AttachStdout:    true,
			AttachStderr:    true,
			Healthcheck:     &container.HealthConfig{Test: []string{"NONE"}},
			Labels:          labels(now, j.Timeout),
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
			Init:           &yes, // reaps what the command leaves, and makes signals count
			RestartPolicy:  container.RestartPolicy{Name: container.RestartPolicyDisabled},
			// The output comes over the attached stream; a log of it would fill the disk.
			LogConfig: container.LogConfig{Type: "none"},
			Resources: container.Resources{
				Memory:     memory,
				MemorySwap: memory, // of both together, so there is no swap
				NanoCPUs:   cpus,
				PidsLimit:  &most,
				Ulimits: []*container.Ulimit{
					{Name: "nofile", Soft: openFiles, Hard: openFiles},
					{Name: "core", Soft: 0, Hard: 0},
				},
			},
		},
	}
}

// Labels that tell whose a container is and until when it may be there.
const (
	labelOurs     = "dev.helve.container"
	labelDeadline = "dev.helve.deadline"
)

// slack is what a run may take beyond its timeout before it counts as left behind.
const slack = time.Minute

func labels(now time.Time, timeout time.Duration) map[string]string {
	return map[string]string{labelOurs: "true", labelDeadline: strconv.FormatInt(now.Add(timeout+slack).Unix(), 10)}
}
