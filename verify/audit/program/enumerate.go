package program

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"checkrr/verify/audit"
)

// Law asks for the output on every value that the noise can have, on two inputs, and returns the exact
// law of the outputs. A noise of several values is sent as a list.
//
// Every output is asked for twice, the second time in the reverse order: a mechanism that draws
// noise of its own, or remembers what it was asked before, is noticed.
func (p *Program) Law(ctx context.Context, claim audit.Claim, inputs [2]json.RawMessage,
	source audit.Source[json.RawMessage]) (audit.Law, error) {
	if err := source.Validate(); err != nil {
		return audit.Law{}, err
	}
	noise, masses := everyNoise(source)
	var e audit.Enumeration
	for side, input := range inputs {
		first, err := p.outputs(ctx, input, noise)
		if err != nil {
			return audit.Law{}, err
		}
		reversed := slices.Clone(noise)
		slices.Reverse(reversed)
		second, err := p.outputs(ctx, input, reversed)
		if err != nil {
			return audit.Law{}, err
		}
		for i, raw := range first {
			if again := second[len(second)-1-i]; !bytes.Equal(raw, again) {
				return audit.Law{}, p.fail("the output on input %s with noise %s was %s and then %s, "+
					"must depend on input and noise only", show(input), show(noise[i]), show(raw), show(again))
			}
			if err := addOutput(&e, claim, side, raw, masses[i]); err != nil {
				return audit.Law{}, p.fail("the output on input %s with noise %s %v", show(input), show(noise[i]), err)
			}
		}
	}
	law, err := audit.FiniteLaw(claim, [2]string{string(inputs[0]), string(inputs[1])}, e.Outcomes())
	if err != nil {
		return audit.Law{}, p.fail("the outputs are no law: %v", err)
	}
	return law, nil
}

// everyNoise returns all that the noise can be, as JSON, with its probabilities.
func everyNoise(source audit.Source[json.RawMessage]) (noise []json.RawMessage, masses []*big.Rat) {
	source.Each(func(values []json.RawMessage, p *big.Rat) bool {
		text := string(values[0])
		for _, v := range values[1:] {
			text += "," + string(v)
		}
		if len(values) > 1 {
			text = "[" + text + "]"
		}
		noise, masses = append(noise, json.RawMessage(text)), append(masses, p)
		return true
	})
	return noise, masses
}

// outputs asks for the output on each noise.
func (p *Program) outputs(ctx context.Context, input json.RawMessage,
	noise []json.RawMessage) ([]json.RawMessage, error) {
	var all []json.RawMessage
	for chunk := range slices.Chunk(noise, perRequest) {
		r := request{Input: input, N: len(chunk), Noise: chunk}
		err := p.ask(ctx, r, func(id int, line []byte) error {
			reply := newReply(line)
			reply.most = p.most
			reply.take = func(raw jsontext.Value) error {
				all = append(all, json.RawMessage(bytes.Clone(raw)))
				return nil
			}
			return reply.read(id, len(chunk))
		})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// addOutput adds an output, which names its part if the claim has parts.
func addOutput(e *audit.Enumeration, claim audit.Claim, side int, raw json.RawMessage, p *big.Rat) error {
	r := newReply(nil)
	r.parts = !claim.IsDP()
	part, text, err := r.split(jsontext.Value(raw))
	if err != nil {
		return err
	}
	if _, err := claim.Part(part); err != nil {
		return fmt.Errorf("is in part %q, must be in one of the claim", part)
	}
	value, err := valueOf(text)
	if err != nil {
		return err
	}
	return e.Add(side, part, value, p)
}
