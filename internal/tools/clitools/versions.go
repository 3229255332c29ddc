package clitools

import (
	"context"
	"regexp"
	"time"

	"github.com/helve-dev/helve/internal/x/gopool"
	"github.com/helve-dev/helve/tool"
)

const (
	// versionTime limits the version query of one program, versionsTime of all programs
	// together.
	versionTime  = 3 * time.Second
	versionsTime = 15 * time.Second
	atOnce       = 4
)

// versionForm matches the first number with dots in a version output.
var versionForm = regexp.MustCompile(`\d+(\.\d+)+([-+._]?[0-9A-Za-z]+)*`)

// versions queries the versions of programs, a few concurrently. The version of a
// program that does not answer in time stays empty.
func versions(ctx context.Context, call *tool.Call, ask []*listed) {
	ctx, cancel := context.WithTimeout(ctx, versionsTime)
	defer cancel()
	work := make(chan *listed)
	var all gopool.Group
	for range atOnce {
		all.Go(func() {
			defer func() {
				for range work { // only after a panic: nothing else takes the rest
				}
			}()
			for l := range work {
				l.Version = version(ctx, call, l.program)
			}
		})
	}
	for _, l := range ask {
		work <- l
	}
	close(work)
	all.Wait()
}

func version(ctx context.Context, call *tool.Call, p *program) *string {
	args := p.versionArgs()
	if len(args) == 0 || ctx.Err() != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, versionTime)
	defer cancel()
	ran, err := call.Programs.Run(ctx, tool.Program{
		Name: p.executable(), Args: args, Apart: true, MaxOutput: 4 << 10, MaxTotal: 64 << 10,
		Env: []string{"NO_COLOR=1", "npm_config_update_notifier=false"},
	})
	if err != nil {
		return nil
	}
	for _, said := range [][]byte{ran.Stdout, ran.Stderr} {
		if v := versionForm.Find(said); v != nil {
			text := string(v)
			return &text
		}
	}
	return nil
}
