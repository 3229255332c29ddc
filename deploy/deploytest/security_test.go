package deploytest

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"
)

// TestPodsAreRestricted admits all pods by the profile that their namespace enforces, and
// checks what the profile leaves open.
func TestPodsAreRestricted(t *testing.T) {
	evaluator, err := policy.NewEvaluator(policy.DefaultChecks(), nil)
	if err != nil {
		t.Fatal(err)
	}
	restricted := api.LevelVersion{Level: api.LevelRestricted, Version: api.LatestVersion()}
	each(t, func(t *testing.T, all rendered) {
		for _, ns := range of[*corev1.Namespace](all) {
			if got := ns.Labels[api.EnforceLevelLabel]; got != string(api.LevelRestricted) {
				t.Errorf("namespace %s enforces %q, want restricted", ns.Name, got)
			}
		}
		for _, p := range all.pods() {
			for _, r := range evaluator.EvaluatePod(restricted, &p.ObjectMeta, &p.Spec) {
				if !r.Allowed {
					t.Errorf("%s: %s: %s", p.owner, r.ForbiddenReason, r.ForbiddenDetail)
				}
			}
			if p.Spec.AutomountServiceAccountToken == nil || *p.Spec.AutomountServiceAccountToken {
				t.Errorf("%s: a token of the API server is mounted", p.owner)
			}
			if p.Spec.EnableServiceLinks == nil || *p.Spec.EnableServiceLinks {
				t.Errorf("%s: enableServiceLinks adds variables that begin with HELVE_", p.owner)
			}
			for _, c := range p.Spec.Containers {
				if s := c.SecurityContext; s == nil || s.ReadOnlyRootFilesystem == nil || !*s.ReadOnlyRootFilesystem {
					t.Errorf("%s: the root of container %s is writable", p.owner, c.Name)
				}
				if c.Resources.Requests.Cpu().IsZero() || c.Resources.Requests.Memory().IsZero() || c.Resources.Limits.Memory().IsZero() {
					t.Errorf("%s: container %s has no requests of CPU and memory, or no limit of memory", p.owner, c.Name)
				}
			}
		}
	})
}

// TestRestrictedRefusesRoot checks that the admission refuses what it should.
func TestRestrictedRefusesRoot(t *testing.T) {
	evaluator, err := policy.NewEvaluator(policy.DefaultChecks(), nil)
	if err != nil {
		t.Fatal(err)
	}
	p := render(t, "overlays/dev").part(t, "helve-worker")
	p.Spec.Containers[0].SecurityContext.Capabilities = nil
	results := evaluator.EvaluatePod(api.LevelVersion{Level: api.LevelRestricted, Version: api.LatestVersion()}, &p.ObjectMeta, &p.Spec)
	if policy.AggregateCheckResults(results).Allowed {
		t.Error("a pod that keeps its capabilities is admitted")
	}
}
