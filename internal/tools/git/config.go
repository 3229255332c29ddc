package git

import (
	"context"
	"fmt"
	"strings"

	"github.com/helve-dev/helve/internal/lib/gitview"
	"github.com/helve-dev/helve/tool"
)

// environment returns the environment of every git process of these tools.
func environment(call *tool.Call, bare, writes bool) []string {
	env := append(gitview.Env(), "GIT_LITERAL_PATHSPECS=1", "LC_ALL=C.UTF-8", "TZ=UTC",
		// The reference time of 'yesterday'.
		fmt.Sprintf("GIT_TEST_DATE_NOW=%d", call.Clock.Now().Unix()))
	if bare {
		env = append(env, "GIT_DIR=.")
	} else {
		env = append(env, "GIT_DIR=.git", "GIT_WORK_TREE=.")
	}
	if !writes {
		env = append(env, "GIT_OPTIONAL_LOCKS=0")
	}
	return env
}

// settings returns the configuration under which git runs: what is taken over from the
// repository, and a committer if the repository sets none.
func (r *repository) settings(ctx context.Context) (string, error) {
	ran, err := r.do(ctx, order{args: gitview.Reading(), plain: true})
	if err != nil {
		return "", err
	}
	if ran.Code > 1 || ran.StdoutCut > 0 {
		return "", tool.Fail(tool.ExecutionError, "The configuration of the repository %s cannot be read: it is damaged, or too large",
			r.top).Because(hidden(ran))
	}
	var kept []gitview.Setting
	who := map[string]string{}
	ours := false
	for _, s := range gitview.Settings(ran.Stdout) {
		if s.Key == "core.hookspath" {
			ours = s.Value == "/dev/null"
			continue
		}
		who[s.Key] = s.Value
		kept = append(kept, s)
	}
	if !ours {
		return "", tool.Fail(tool.NotConfigured,
			"The git of this worker is too old to be run safely; its operator installs version 2.31 or newer (apt-get install git)")
	}
	for _, s := range []gitview.Setting{{Key: "user.name", Value: defaultName}, {Key: "user.email", Value: defaultEmail}} {
		if strings.Trim(who[s.Key], " .,:;<>\"\\'\t") == "" {
			kept = append(kept, s)
		}
	}
	return gitview.Text(kept), nil
}

// configure changes the configuration of the repository itself, which git under a view
// does not reach. A setting that is not there is no failure.
func (r *repository) configure(ctx context.Context, args ...string) error {
	_, err := r.do(ctx, order{args: append([]string{"config"}, args...), plain: true})
	return err
}

// The committer if the repository sets none.
const (
	defaultName  = "Helve"
	defaultEmail = "helve@localhost"
)
