"""Writes the privacy losses that another accountant computed as a file for checkrr.

    from dp_accounting.pld import privacy_loss_distribution
    import pld
    pld.write("day.csv", *pld.of(privacy_loss_distribution.from_laplace_mechanism(2.0)))

With that, {losses: day.csv, count: 30} in a problem file are 30 such steps. Of another library give write its arrays:
losses ln(P/Q), their probabilities under P, and the probability of an infinite loss. They must be estimated
pessimistically, as is the default of dp_accounting: checkrr takes what is in the file for the truth. Write a single
step, not a composition, if you want to stop between steps.
"""


def of(pld):
    """Losses, masses and infinite mass of a PrivacyLossDistribution of dp_accounting, for a record that is removed."""
    pmf = pld._pmf_remove.to_dense_pmf()  # there is no public way to read it
    if not pmf._pessimistic_estimate:
        raise ValueError("the losses are estimated optimistically, must be pessimistic_estimate=True")
    losses = [(pmf._lower_loss + i) * pmf._discretization for i in range(len(pmf._probs))]
    return losses, pmf._probs, pmf._infinity_mass


def write(file, losses, masses, infinite=0.0):
    """Writes lines loss,mass. Every number is the double that it was, with all its digits."""
    with open(file, "w") as lines:
        lines.write("loss,mass\n")
        for loss, mass in zip(losses, masses, strict=True):
            if mass > 0:
                lines.write(f"{float(loss)!r},{float(mass)!r}\n")
        if infinite > 0:
            lines.write(f"inf,{float(infinite)!r}\n")
