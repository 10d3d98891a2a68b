"""The MuJoCo model: the car of Safety Gym on a floor.

Goal, hazards and treasures never collide, so they are no part of the physics; rendering draws them.
"""

from math import atan2

import mujoco

from pacer.envs.navigation.tasks import Limits

TIMESTEP = 0.004
SUBSTEPS = 10
START_HEIGHT = 0.1

# Readings in the order of the model's sensors: accelerometer, velocimeter, gyro, magnetometer, angular
# velocity of the rear ball, then the ball's orientation as a quaternion.
VECTOR_READINGS = 15

CAR = f"""
<mujoco model="car navigation">
  <compiler autolimits="true"/>
  <option timestep="{TIMESTEP}"/>
  <visual>
    <headlight ambient="0.45 0.45 0.45" diffuse="0.45 0.45 0.45" specular="0 0 0"/>
    <map znear="0.01"/>
    <quality numslices="32" numstacks="6"/>
  </visual>
  <asset>
    <texture name="tiles" type="2d" builtin="checker" rgb1="0.9 0.9 0.9" rgb2="0.84 0.84 0.84" width="64" height="64"/>
    <material name="floor" texture="tiles" texuniform="true" texrepeat="1 1" reflectance="0"/>
  </asset>
  <default>
    <geom condim="6" density="5" rgba="0.86 0.16 0.18 1"/>
    <joint damping="0.001"/>
    <motor gear="1" ctrlrange="-1 1" forcerange="-0.02 0.02"/>
  </default>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 0.1" material="floor" rgba="1 1 1 1"/>
    <body name="car" pos="0 0 {START_HEIGHT}">
      <freejoint name="car"/>
      <site name="centre"/>
      <geom name="hull" type="box" size="0.1 0.1 0.05"/>
      <geom name="back bumper" type="box" pos="0 0.15 0" size="0.1 0.01 0.05"/>
      <geom name="back connector" type="box" pos="0 0.125 0" size="0.01 0.025 0.03"/>
      <geom name="front bumper" type="box" pos="0 -0.165 0" size="0.05 0.01 0.05" rgba="1 0.75 0.2 1"/>
      <geom name="front connector" type="box" pos="0 -0.13 0.04" size="0.05 0.03 0.01" rgba="1 0.75 0.2 1"/>
      <body name="left wheel" pos="-0.1 0.1 -0.05">
        <joint name="left wheel" type="hinge" axis="1 0 0"/>
        <geom name="left wheel" type="cylinder" fromto="-0.005 0 0 -0.055 0 0" size="0.05" rgba="0.2 0.2 0.22 1"/>
      </body>
      <body name="right wheel" pos="0.1 0.1 -0.05">
        <joint name="right wheel" type="hinge" axis="1 0 0"/>
        <geom name="right wheel" type="cylinder" fromto="0.005 0 0 0.055 0 0" size="0.05" rgba="0.2 0.2 0.22 1"/>
      </body>
      <body name="rear ball" pos="0 -0.1 -0.05">
        <joint name="rear ball" type="ball"/>
        <geom name="rear ball" type="sphere" size="0.05" rgba="0.2 0.2 0.22 1"/>
      </body>
    </body>
  </worldbody>
  <actuator>
    <motor name="left wheel" joint="left wheel"/>
    <motor name="right wheel" joint="right wheel"/>
  </actuator>
  <sensor>
    <accelerometer name="accelerometer" site="centre"/>
    <velocimeter name="velocimeter" site="centre"/>
    <gyro name="gyro" site="centre"/>
    <magnetometer name="magnetometer" site="centre"/>
    <ballangvel name="rear ball velocity" joint="rear ball"/>
    <ballquat name="rear ball orientation" joint="rear ball"/>
  </sensor>
</mujoco>
"""


def build_model(limits: Limits) -> mujoco.MjModel:
    """The car's model, with a floor drawn as wide as the limits (its physics has no edge)."""
    model = mujoco.MjModel.from_xml_string(CAR)
    floor = model.geom("floor")
    floor.pos[:2] = (limits[0] + limits[2]) / 2, (limits[1] + limits[3]) / 2
    floor.size[:2] = (limits[2] - limits[0]) / 2 + 0.5, (limits[3] - limits[1]) / 2 + 0.5
    return model


def pose(data: mujoco.MjData) -> tuple[float, float, float]:
    """The car's place on the floor and its heading: the angle of its own x axis. Forward is its -y axis."""
    x, y, _, qw, qx, qy, qz = data.qpos[:7].tolist()
    return x, y, atan2(2.0 * (qw * qz + qx * qy), qw * qw + qx * qx - qy * qy - qz * qz)
