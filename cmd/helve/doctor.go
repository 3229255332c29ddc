package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/cli"
	"github.com/helve-dev/helve/internal/fleet"
	"github.com/helve-dev/helve/internal/ports/confine"
	"github.com/helve-dev/helve/internal/ports/helperbin"
	"github.com/helve-dev/helve/internal/ports/programs"
)

// doctorCommand reports what this host supports. It leaves nothing behind.
func doctorCommand(env []string) *cobra.Command {
	var file, data, nats string
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check what this host supports, or with --server a whole system",
		Long: "Check what this host supports, and print advice about what is missing: what dynamic\n" +
			"tools need for their sandbox, the data directory, NATS and whether workers share their\n" +
			"workspaces if --nats is set, and programs that some tools use. Nothing else is examined, so\n" +
			"the exit code says nothing about a running system. The exit code is 1 if something needed is missing.\n\n" +
			"With --server it examines a whole system instead, with a line of advice for each finding: NATS,\n" +
			"clocks, streams, consumers, replicas, permissions, workers, pools, versions, database, keys, disk\n" +
			"and dead letters. The exit code is 0 if there are none or only warnings, 1 if something does not\n" +
			"work, 3 if the server cannot be reached. It requires the role auditor or admin.",
		Example: "  helve doctor --nats nats://127.0.0.1:4222\n  helve doctor --server https://helve.example --json",
		Args:    cobra.NoArgs,
	}
	flags := cmd.Flags()
	flags.StringVar(&file, "config", "", "`FILE` of settings in YAML")
	flags.StringVar(&data, "data", "", "data `DIR` in place of the configured one")
	flags.StringVar(&nats, "nats", "", "`URL` of a NATS server to check")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		cfg, err := config.Load(config.Source{Env: env, File: file})
		if err != nil {
			return cli.Usage("%w", err)
		}
		if data != "" {
			cfg.Data = data
		}
		cage := confine.Probe()
		if lacking(cage) == nil {
			cage = append(cage, trialPart(cmd.Context(), cfg))
		}
		children := confine.Part{Name: "children", OK: true, Detail: helperbin.Describe()}
		parts := append(slices.Clone(cage), children, dataPart(cfg.Data), storePart(cmd.Context(), cfg))
		if nats != "" {
			cfg.NATS.URL = nats
			parts = append(parts, natsParts(cmd.Context(), cfg)...)
		}
		parts = append(parts, programParts()...)
		parts = append(parts, confinedParts(cmd.Context(), cfg)...)
		verdict := verdictOn(cage)
		if asJSON, _ := cmd.Flags().GetBool("json"); asJSON {
			err = writeDiagnosisJSON(cmd.OutOrStdout(), parts, verdict)
		} else {
			err = writeDiagnosis(cmd.OutOrStdout(), parts, verdict)
		}
		if nats == "" {
			fmt.Fprintln(cmd.ErrOrStderr(), "Only this host was examined, neither NATS nor a running system: `helve doctor --server URL` examines "+
				"a system, --nats URL a NATS server.")
		}
		if lacks := lacking(parts); err == nil && lacks != nil {
			err = errors.New("this host lacks " + strings.Join(lacks, ", "))
		}
		return err
	}
	return cmd
}

// verdictOn reports whether dynamic tools can run with these parts of the sandbox.
func verdictOn(cage []confine.Part) string {
	if lacks := lacking(cage); lacks != nil {
		return "cannot run: this host lacks " + strings.Join(lacks, ", ")
	}
	return "can run"
}

// lacking lists the required parts that are missing.
func lacking(parts []confine.Part) (names []string) {
	for _, p := range parts {
		if p.Mandatory && !p.OK {
			names = append(names, p.Name)
		}
	}
	return names
}

// dataPart creates a file in dir, or in the directory where dir would be created, and
// removes it.
func dataPart(dir string) confine.Part {
	at, detail := dir, dir
	for {
		if _, err := os.Stat(at); !errors.Is(err, fs.ErrNotExist) || filepath.Dir(at) == at {
			break
		}
		at, detail = filepath.Dir(at), dir+" will be created"
	}
	f, err := os.CreateTemp(at, ".helve-doctor-*")
	if err != nil {
		return confine.Part{
			Name:      "data",
			Mandatory: true,
			Detail:    err.Error() + "; choose another directory with --data, or make it writable for the user that runs workers",
		}
	}
	f.Close()
	os.Remove(f.Name())
	return confine.Part{Name: "data", Mandatory: true, OK: true, Detail: detail}
}

// natsParts waits a moment for a connection, with the configured credentials, and
// checks the workers there.
func natsParts(ctx context.Context, cfg config.Config) []confine.Part {
	p := confine.Part{Name: "nats", Mandatory: true, Detail: cfg.NATS.URL}
	connected := make(chan struct{})
	opts := queue.FromConfig(cfg, "doctor", nil)
	seen := sync.OnceFunc(func() { close(connected) })
	opts.State = func(up bool) {
		if up {
			seen()
		}
	}
	q, err := queue.Connect(opts)
	if err != nil {
		p.Detail = err.Error()
		return []confine.Part{p}
	}
	defer q.Close()
	ctx, stop := context.WithTimeout(ctx, 3*time.Second)
	defer stop()
	select {
	case <-connected:
		p.OK = true
		return []confine.Part{p, workspacesPart(ctx, q), storesPart(ctx, cfg, q), memoryPart(ctx, q, opts)}
	case <-ctx.Done():
		p.Detail += " does not answer, or refuses the credentials; start NATS, or see nats.creds"
	}
	return []confine.Part{p}
}

// workspacesPart checks whether the workers of each pool share their workspaces.
func workspacesPart(ctx context.Context, q *queue.Queue) confine.Part {
	p := confine.Part{Name: "shared_workspaces"}
	live, err := fleet.Load(ctx, q)
	switch split := live.Split(); {
	case err != nil:
		p.Detail = "cannot see which workers there are: no dispatcher has prepared this NATS server, or the credentials are not a dispatcher's " +
			"or a worker's"
	case len(live) == 0:
		p.OK, p.Detail = true, "no worker is running"
	case len(split) > 0:
		p.Mandatory = true
		p.Detail = "not shared by the workers of " + strings.Join(split, ", ") + ": tools that use files fail on some of them; " +
			"put the workspaces on one shared volume, or set worker.affinity to user on all of them (docs/deploy.md)"
	default:
		p.OK, p.Detail = true, "shared by the workers of each pool"
		if apart := boundPools(live); len(apart) > 0 {
			p.Detail = "not shared by the workers of " + strings.Join(apart, ", ") +
				", where each user has one worker (worker.affinity); a user whose worker is gone loses access to earlier files"
		}
	}
	return p
}

// boundPools returns the pools with different workspaces in which each user has one worker.
func boundPools(live fleet.Live) (pools []string) {
	for _, pool := range slices.Sorted(maps.Keys(live)) {
		if live.Bound(pool) && len(live.Workspaces(pool)) > 1 {
			pools = append(pools, pool)
		}
	}
	return pools
}

// programParts searches programs that only some tools need.
func programParts() []confine.Part {
	var parts []confine.Part
	for _, program := range []struct{ name, use string }{
		{"git", "the Git tools"},
		{"docker", "the tools that run code in containers"},
		{"ffmpeg", "the audio tools"},
		{"pdftotext", "reading text from PDF files"},
		{"node", "comparisons by helve-bench js"},
	} {
		path, err := exec.LookPath(program.name)
		if err != nil {
			path = "not found; it is for " + program.use
		}
		parts = append(parts, confine.Part{Name: program.name, OK: err == nil, Detail: path})
	}
	return parts
}

// confinedParts checks how programs can be confined here. A worker without confinement
// runs all tools except those that run programs, so none of it is required.
func confinedParts(ctx context.Context, cfg config.Config) []confine.Part {
	o := programs.Options{Path: cfg.Programs.Path, Readable: cfg.Programs.Readable, Unconfined: cfg.Programs.Unconfined}
	parts := programs.New(o).Probe(ctx)
	for i := range parts {
		parts[i].Mandatory = false
	}
	return parts
}

func writeDiagnosis(w io.Writer, parts []confine.Part, verdict string) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "PART\tNEEDED\tOK\tDETAIL")
	word := map[bool]string{true: "yes", false: "no"}
	for _, p := range parts {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", p.Name, word[p.Mandatory], word[p.OK], p.Detail)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w, "dynamic tools:", verdict)
	return err
}

// diagnosed is a part as --json prints it.
type diagnosed struct {
	Part   string `json:"part"`
	Needed bool   `json:"needed"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail"`
}

func writeDiagnosisJSON(w io.Writer, parts []confine.Part, verdict string) error {
	rows := make([]diagnosed, len(parts))
	for i, p := range parts {
		rows[i] = diagnosed{p.Name, p.Mandatory, p.OK, p.Detail}
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(map[string]any{"parts": rows, "dynamic_tools": verdict})
}
