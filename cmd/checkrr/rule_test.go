package main

import (
	"slices"
	"strings"
	"testing"
)

// TestRuleFlags: each rule of each command takes the flags that it uses, and no other; exit code 2 and nothing is printed.
func TestRuleFlags(t *testing.T) {
	t.Parallel()
	values := map[string]string{"leak": "1e-6", "lambda": "3", "target-eps": "2", "gamma": "0.5", "v0": "0.02", "size": "100"}
	uses := map[string]string{
		"sum": "", "adaptive": "leak", "zcdp": "leak", "odp-advanced": "lambda leak", "filter": "leak target-eps",
		"mixture": "gamma leak", "stitched": "leak v0", "rogers": "leak size", "best": "gamma leak target-eps v0",
	}
	commands := map[string][]string{
		"account - --budget eps=9,delta=1e-5": filterRules, "odometer - --delta 1e-5": odometerRules,
		"challenge --budget delta=1e-5 --menu eps=0.1 --rounds 2": odometerRules, "challenge --budget eps=1,delta=1e-5 --menu eps=0.1 --rounds 2": filterRules,
	}
	for command, rules := range commands {
		for _, rule := range rules {
			for flag, value := range values {
				args := append(strings.Fields(command), "--rule", rule, "--"+flag, value)
				if rule == "rogers" && flag != "size" {
					args = append(args, "--size", "100")
				}
				code, stdout, stderr := checkrr(one, args...)
				isDefined := !strings.Contains(stderr, "unknown flag")
				unused := "--" + flag + " is given, but not used by the rule " + rule + ", only by "
				switch isUsed := slices.Contains(strings.Fields(uses[rule]), flag); {
				case isUsed && code != exitOK, !isUsed && (code != exitUsage || stdout != ""):
					t.Errorf("%v: exit code %d, %s", args, code, stderr)
				case !isUsed && isDefined && !strings.Contains(stderr, unused):
					t.Errorf("%v: %s", args, stderr)
				}
			}
		}
	}
}
