"""Car navigation: four tasks of driving to goals past hazards and treasures, on our own model of Safety Gym's car."""
