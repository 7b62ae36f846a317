"""What people tie themselves to: whom they follow, what they keep."""
