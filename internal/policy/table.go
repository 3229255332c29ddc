package policy

import "github.com/helve-dev/helve/tool"

// Table returns the decision without rules. Mutates is set if this call can change
// something. An empty profile is Standard, an unknown profile counts as Strict, an
// unknown risk as high.
func Table(profile Profile, def *tool.Definition, mutates bool) Decision {
	standard := profile == Standard || profile == ""
	switch {
	case profile == Auto:
		return run("table:auto", "The profile auto lets every call run without asking.")
	case high(def):
		d := ask("table:high", def.Name+" has high risk, so a person must say yes to this very call.")
		d.Strong = true
		return d
	case def.RequiresConfirmation:
		return ask("table:requires-confirmation", def.Name+" requires a person's yes before it runs.")
	case def.Confirmation == tool.ConfirmAlways:
		return ask("table:confirmation-always", def.Name+" always asks for a person's yes.")
	case !standard && mutates:
		return ask("table:strict-mutates", def.Name+" can change something with this call, and the profile strict asks a person first.")
	case !standard && def.Risk == tool.Medium:
		return ask("table:strict-medium", def.Name+" has medium risk, and the profile strict asks a person even where nothing changes.")
	case def.Risk == tool.Low:
		return run("table:low", def.Name+" has low risk.")
	case !mutates:
		return run("table:medium-reads", def.Name+" changes nothing with this call.")
	case def.Confirmation == tool.ConfirmNever:
		return run("table:confirmation-never", def.Name+" is declared to need no confirmation.")
	default:
		return ask("table:medium-mutates", def.Name+" can destroy something or reach outward with this call, so a person must say yes first.")
	}
}

func run(rule, reason string) Decision { return Decision{Outcome: Run, Rule: rule, Reason: reason} }

func ask(rule, reason string) Decision { return Decision{Outcome: Ask, Rule: rule, Reason: reason} }

func refuse(rule, reason string) Decision {
	return Decision{Outcome: Refuse, Rule: rule, Reason: reason}
}
